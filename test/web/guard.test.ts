import { describe, expect, it } from 'vitest';
import { Guard } from '../../packages/host/src/web/routes/guard.ts';
import { sendRaw } from '../server/http/raw-http.ts';
import { enter, visit } from './client.ts';
import { pickOne, stageOfFile } from './stage.ts';

const on = await stageOfFile();

describe('who may talk to the desk', () => {
  it('guard-G1: a name rebound to loopback gets nothing, with or without the cookie', async () => {
    const { cookie } = await enter(on.desk);
    const port = new URL(on.desk.url).port;
    for (const host of [
      `evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      `localhost.evil.example:${port}`,
      '0.0.0.0',
    ]) {
      const answer = await visit(on.desk, '/', { headers: { host, cookie } });
      expect(answer.status, host).toBe(403);
      expect(answer.text).not.toContain('csrf');
    }
    expect((await visit(on.desk, '/', { headers: { host: `localhost:${port}`, cookie } })).status).toBe(200);
  });

  it('guard-G1: a request that names two hosts, or another one in its address, gets nothing', async () => {
    const { cookie } = await enter(on.desk);
    const { host, pathname, port } = new URL(on.desk.url);
    const get = (target: string, ...hosts: string[]) => {
      const lines = [...hosts.map(each => `host: ${each}`), `cookie: ${cookie}`, 'connection: close'];
      return sendRaw(Number(port), `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    };
    for (const [target, ...hosts] of [
      [pathname, host, host],
      [pathname, host, 'evil.example'],
      [`http://evil.example${pathname}`, host],
      ['http://[', host],
    ] as const) {
      const answer = await get(target, ...hosts);
      expect(answer.status, target).toBe(400);
      expect(answer.body).not.toContain('<');
    }
    expect((await get(on.desk.url, host)).status).toBe(200);
    expect((await get('//', host)).status).toBe(401);
  });

  it('guard-G2: a start link works once, and becomes a cookie no script reads and no other site sends', async () => {
    const link = on.desk.startUrl();
    const first = await visit(on.desk, link);
    expect(first.status).toBe(303);
    expect(first.headers['location']).toBe('/');
    expect(String(first.headers['set-cookie'])).toMatch(
      /^midcall-desk-\d+=[\w-]{43}; Path=\/[\w-]{22}; HttpOnly; SameSite=Strict$/,
    );
    const second = await visit(on.desk, link);
    expect(second.status).toBe(401);
    expect(second.text).toContain('works once');
  });

  it('guard-G2: the start link is kind to a browser that is in already', async () => {
    const again = await visit(on.desk, '/start?key=old');
    expect(again.status).toBe(401);
    expect(again.text).toMatch(/<script type="module" src="\/assets\/[\w-]+\/again\.js">/);
  });

  it('guard-G2: the cookie belongs to a secret path and opens nothing elsewhere, so that no other port is sent it', async () => {
    const link = on.desk.startUrl();
    const { headers } = await visit(on.desk, link);
    const [cookie, path] = String(headers['set-cookie']).split('; ');
    expect(path).toBe(`Path=${new URL(on.desk.url).pathname.slice(0, -1)}`);
    expect(link).not.toContain(path!.slice('Path=/'.length));
    const elsewhere = (at: string) => visit(on.desk, new URL(at, on.desk.url).href, { headers: { cookie: cookie! } });
    for (const at of ['/', '/inbox', '/add', '/events', '/start?key=old', `/${'A'.repeat(22)}/inbox`]) {
      const answer = await elsewhere(at);
      expect(answer.status, at).toBe(401);
      expect(answer.text).not.toContain('csrf');
    }
    expect((await elsewhere(`${path!.slice('Path='.length)}/inbox`)).status).toBe(200);
  });

  it('guard-G2: every address in a page is below that path, apart from its files', async () => {
    const { cookie } = await enter(on.desk);
    const question = pickOne(undefined);
    void on.inbox.ask(question);
    const base = new URL(on.desk.url).pathname;
    const target = { kind: 'command', command: '/nothing-there', args: [] } as const;
    await on.desk.workspace.servers.add({ id: 'none', target }).catch(() => {});
    for (const path of [
      '',
      'inbox',
      'roots',
      'policy',
      'audit',
      'add',
      'history',
      'models',
      'servers/none',
      `questions/${question.id}`,
      'nothing',
    ]) {
      const text = await (await fetch(new URL(path, on.desk.url), { headers: { cookie } })).text();
      const all = [
        ...text.matchAll(/(?: (?:href|action|formaction|src|data-check|data-draft)="|\d;url=)(\/[^"]*)"/g),
      ].map(each => each[1]!);
      expect(all.length).toBeGreaterThan(5);
      expect(all.filter(at => !at.startsWith(base) && !at.startsWith('/assets/'))).toEqual([]);
    }
    on.inbox.end(question.id, { how: 'withdrawn' });
  });

  it('guard-G2: nothing but the start page and the files of the pages is shown without the cookie', async () => {
    for (const path of ['/', '/inbox', '/events', '/audit.jsonl', '/history', '/questions/x']) {
      const answer = await visit(on.desk, path);
      expect(answer.status, path).toBe(401);
    }
    const { cookie } = await enter(on.desk);
    const forged = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`;
    expect((await visit(on.desk, '/', { headers: { cookie: forged } })).status).toBe(401);
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', { origin: '' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['another site of this machine', { 'sec-fetch-site': 'same-site' }],
  ])('guard-G3: a change from %s is refused and does nothing', async (_, headers) => {
    const visitor = await enter(on.desk);
    const question = pickOne(undefined);
    void on.inbox.ask(question);
    const answer = await visitor.post(`/questions/${question.id}`, { action: 'decline' }, headers);
    expect(answer.status).toBe(403);
    expect(on.inbox.get(question.id)).toBeDefined();
    on.inbox.end(question.id, { how: 'withdrawn' });
  });

  it('guard-G3: a change without the token of the page is refused and does nothing', async () => {
    const visitor = await enter(on.desk);
    const question = pickOne(undefined);
    void on.inbox.ask(question);
    for (const csrf of ['', 'x', `${visitor.csrf}x`]) {
      expect((await visitor.post(`/questions/${question.id}`, { action: 'decline', csrf })).status).toBe(403);
    }
    expect(on.inbox.get(question.id)).toBeDefined();
    on.inbox.end(question.id, { how: 'withdrawn' });
  });

  it('guard-G4: every response carries the policy: own files only, no inline script, no frames', async () => {
    const visitor = await enter(on.desk);
    for (const path of ['/', '/nothing', '/roots']) {
      const { headers, text } = await visitor.get(path);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['cache-control']).toBe('no-store');
      expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
      expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    }
  });

  it('start keys differ from one another', () => {
    const keys = new Set(Array.from({ length: 50 }, () => new Guard().newStartKey()));
    expect(keys.size).toBe(50);
  });
});
