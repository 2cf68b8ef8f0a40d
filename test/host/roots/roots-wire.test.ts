/** Roots as a server sees them told on the wire, and as the person gives them, in both revisions. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Audit,
  type Clock,
  machineDisk,
  OfferedRoots,
  Policy,
  type Question,
  type Reply,
  type RootsMemory,
} from '@midcall/host';
import { eras } from '@midcall/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Params, type Wired, wired } from '../wire-server.ts';

let base: string;
const at = (path: string): string => join(base, path);
const uri = (path: string): string => pathToFileURL(at(path)).href;
const listChanged = 'notifications/roots/list_changed';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-host-roots-')));
  for (const path of ['a', 'b', 'c']) mkdirSync(at(path));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function manager(...directories: string[]): Promise<OfferedRoots> {
  const roots = new OfferedRoots({ disk: machineDisk });
  for (const directory of directories) await roots.add(at(directory));
  return roots;
}

/** The half second in which a host waits for a server's first question about roots is over at once. */
const impatient: Clock = {
  now: Date.now,
  after(ms, fn) {
    const timer = ms === 500 ? setImmediate(fn) : undefined;
    return () => clearImmediate(timer);
  },
};

/** Shares these, or all that are offered. */
const sharing =
  (...uris: string[]) =>
  (question: Question): Reply => {
    const offered = question.kind === 'roots' ? question.roots.map(root => root.uri) : [];
    return { action: 'accept', content: { uris: uris.length > 0 ? uris : offered } };
  };

describe.each(eras)('%s', era => {
  /** A tool that asks for the roots once and gives back what it was told. */
  const hosted = (
    roots: OfferedRoots | undefined,
    answer: (question: Question) => Reply | undefined,
    audit = new Audit(),
  ) =>
    wired(era, { clock: impatient, ...(roots && { roots }), audit, answer, tool: wire => wire.ask({}, 'roots/list') });
  const told = async (host: Wired): Promise<unknown> => ((await host.call()) as { roots?: unknown }).roots;

  it('roots-08, roots-09, roots-10, roots-11: the host declares roots where there is a manager, in every message that must say so', async () => {
    const declared = (host: Wired): unknown[] =>
      era === '2025-11-25'
        ? host.calls('initialize').map(frame => (frame.params?.['capabilities'] as Params | undefined)?.['roots'])
        : host.sent
            .filter(frame => frame.id !== undefined && frame.method !== undefined)
            .map(frame => frame.params?.['_meta'] as Record<string, Params> | undefined)
            .map(meta => meta?.['io.modelcontextprotocol/clientCapabilities'])
            .map(capabilities => capabilities?.['roots']);
    for (const [roots, expected] of [
      [await manager('a'), era === '2025-11-25' ? { listChanged: true } : {}],
      [undefined, undefined],
    ] as const) {
      const host = await wired(era, { clock: impatient, ...(roots && { roots }), tool: async () => 'done' });
      await host.call();
      await host.call();
      const all = declared(host);
      expect(all.length).toBeGreaterThanOrEqual(era === '2025-11-25' ? 1 : 3);
      expect(all).toEqual(all.map(() => expected));
    }
  });

  it('roots-13, roots-15, roots-20, roots-21, roots-24: the granted roots are told as file URIs, under the id or the key of the question', async () => {
    const host = await hosted(await manager('a', 'b', 'c'), sharing(uri('a'), uri('b')));
    const list = {
      roots: [
        { uri: uri('a'), name: 'a' },
        { uri: uri('b'), name: 'b' },
      ],
    };
    expect(await host.call()).toEqual(list);
    for (const root of list.roots) expect(root.uri).toMatch(/^file:\/\/\//);
    if (era === '2025-11-25') expect(host.responses).toEqual([{ jsonrpc: '2.0', id: 's0', result: list }]);
    else {
      const [first, second] = host.calls();
      expect(second?.params).toMatchObject({ inputResponses: { q: list }, requestState: 'state-0' });
      expect(second?.id).not.toBe(first?.id);
    }
  });

  it('roots-10, roots-16, roots-17, roots-19: each change of a server’s roots is announced on 2025-11-25, and none on 2026-07-28', async () => {
    const roots = await manager('a');
    const host = await hosted(roots, sharing());
    await told(host);
    const before = host.calls(listChanged).length;
    await roots.add(at('b'));
    await new Promise(setImmediate);
    expect(host.calls(listChanged)).toHaveLength(before);
    await roots.grant('notes', [uri('a'), uri('b')]);
    await roots.remove(uri('a'));
    rmSync(at('b'), { recursive: true });
    await roots.look();
    await new Promise(setImmediate);
    const announced = host.calls(listChanged).slice(before);
    expect(announced).toHaveLength(era === '2025-11-25' ? 3 : 0);
    for (const frame of announced) expect(frame).toEqual({ jsonrpc: '2.0', method: listChanged });
    expect(await told(host)).toEqual([]);
    if (era === '2026-07-28') expect(JSON.stringify(host.sent)).not.toMatch(/list_?[cC]hanged/);
  });

  it('a folder that was withdrawn and is offered again is told to nobody until it is granted again', async () => {
    const roots = await manager('a', 'b');
    const host = await hosted(roots, sharing(uri('a'), uri('b')));
    expect(await told(host)).toHaveLength(2);
    await roots.remove(uri('a'));
    await roots.add(at('a'));
    expect(await told(host)).toEqual([{ uri: uri('b'), name: 'b' }]);
    await roots.forget('notes');
    expect(await told(host)).toHaveLength(2);
    expect(host.shown).toHaveLength(2);
  });

  it('what is withdrawn while the person reads the question is not told, though they chose it', async () => {
    const roots = await manager('a', 'b');
    const host = await hosted(roots, () => undefined);
    const outcome = told(host);
    const question = await nextQuestion(host.inbox);
    await roots.remove(uri('a'));
    await host.inbox.reply(question.id, sharing(uri('a'), uri('b'))(question), 'script');
    expect(await outcome).toEqual([{ uri: uri('b'), name: 'b' }]);
    await roots.add(at('a'));
    expect(await told(host)).toEqual([{ uri: uri('b'), name: 'b' }]);
  });

  it('roots-10: the host announces nothing where it declared no roots', async () => {
    const roots = await manager('a');
    const host = await wired(era, { tool: async () => 'done' });
    await roots.add(at('b'));
    await host.call();
    expect(host.calls(listChanged)).toEqual([]);
  });

  it('roots-21, roots-31: no root is taken that is no file URI or climbs, in any spelling', async () => {
    const roots = await manager('a');
    for (const place of [
      'https://example.com/a',
      'a',
      './a',
      `${uri('a')}/../b`,
      `${uri('a')}/%2e%2e/b`,
      `${uri('a')}/%2E./b`,
      `${uri('a')}%2f..%2fb`,
      `${uri('a')}%00`,
      `file://elsewhere${at('a')}`,
      `${uri('a')}?x`,
    ])
      await expect(roots.add(place), place).rejects.toMatchObject({ code: 'roots/invalid' });
    await roots.add(`${at('a')}/../b`);
    const host = await hosted(roots, sharing());
    expect(await told(host)).toEqual([
      { uri: uri('a'), name: 'a' },
      { uri: uri('b'), name: 'b' },
    ]);
  });

  it('roots-22: one directory is told once, whatever it was called', async () => {
    symlinkSync(at('a'), at('link'));
    const roots = await manager('a', 'link');
    for (const place of [`${at('a')}/`, uri('a'), `${uri('a')}/`, `${at('b')}/../a`]) await roots.add(place);
    expect(await told(await hosted(roots, sharing()))).toEqual([{ uri: uri('a'), name: 'a' }]);
  });

  it('roots-25, roots-26, roots-28: a client without roots says that it has none', async () => {
    const host = await hosted(undefined, sharing());
    const outcome = await host.call();
    if (era === '2025-11-25') {
      expect(outcome).toEqual({ error: { code: -32601, message: expect.stringMatching(/./) } });
      expect(host.responses).toEqual([expect.not.objectContaining({ result: expect.anything() })]);
    } else {
      expect(outcome).toBeInstanceOf(Error);
      expect(host.calls()).toHaveLength(1);
    }
  });

  it.each<[string, () => Promise<OfferedRoots>]>([
    [
      'the disk',
      async () => {
        let broken = false;
        const disk = {
          ...machineDisk,
          look: async (path: string) => {
            if (broken) throw new Error(`${path} is on fire.`);
            return machineDisk.look(path);
          },
        };
        const roots = new OfferedRoots({ disk });
        await roots.add(at('a'));
        broken = true;
        return roots;
      },
    ],
    [
      'the file of grants',
      async () => {
        const memory: RootsMemory = {
          read: async () => ({ roots: [{ path: at('a'), name: 'a' }], grants: {} }),
          write: async () => {
            throw new Error(`${at('secret/roots.json')} is on fire.`);
          },
        };
        const roots = new OfferedRoots({ disk: machineDisk, memory });
        await roots.load();
        return roots;
      },
    ],
  ])(
    'roots-25, roots-27, roots-29: a failure of %s is -32603, or ends the call; no path of it leaves',
    async (_, broken) => {
      const audit = new Audit();
      const host = await hosted(await broken(), sharing(), audit);
      const outcome = await host.call();
      if (era === '2025-11-25')
        expect(outcome).toEqual({ error: { code: -32603, message: 'The roots could not be listed' } });
      else {
        expect(outcome).toMatchObject({ code: 'host/abandoned', message: expect.stringContaining('is on fire.') });
        expect(host.calls()).toHaveLength(1);
      }
      expect(JSON.stringify(host.sent)).not.toContain(base);
      expect(JSON.stringify(audit.entries({}))).toContain('is on fire.');
    },
  );

  it('roots-30, roots-33, roots-39, roots-40: a server is told only of what stands now, without a restart and without being told to look', async () => {
    const roots = await manager('a', 'b');
    await roots.grant('notes', [uri('a'), uri('b')]);
    const host = await hosted(roots, sharing());
    const paths = async () => ((await told(host)) as { uri: string }[]).map(root => root.uri);
    expect(await paths()).toEqual([uri('a'), uri('b')]);
    rmSync(at('a'), { recursive: true });
    expect(await paths()).toEqual([uri('b')]);
    expect(roots.list().map(root => root.state)).toEqual(['gone', 'there']);
    writeFileSync(at('a'), 'a file');
    expect(await paths()).toEqual([uri('b')]);
    rmSync(at('a'));
    mkdirSync(at('a'));
    expect(await paths()).toEqual([uri('a'), uri('b')]);
    expect(host.shown).toEqual([]);
  });

  it('roots-30, roots-31: nothing is told of a directory whose place a link has taken', async () => {
    const roots = await manager('a');
    await roots.grant('notes', [uri('a')]);
    const host = await hosted(roots, sharing());
    renameSync(at('a'), at('moved'));
    symlinkSync(at('b'), at('a'));
    expect(await told(host)).toEqual([]);
    expect(roots.list()[0]?.state).toBe('gone');
  });

  it('roots-33, roots-40: the host notices by itself that a root went, and that it is back', async () => {
    const clock = handClock();
    const roots = new OfferedRoots({ disk: machineDisk, clock, lookEveryMs: 1_000 });
    await roots.add(at('a'));
    await roots.grant('notes', [uri('a')]);
    const host = await hosted(roots, sharing());
    const heard = () =>
      new Promise<void>(resolve => {
        const stop = roots.subscribe(() => {
          stop();
          resolve();
        });
      });
    for (const change of [() => renameSync(at('a'), at('away')), () => renameSync(at('away'), at('a'))]) {
      const noticed = heard();
      change();
      while (clock.waiting === 0) await new Promise(setImmediate);
      clock.move(1_000);
      await noticed;
    }
    expect(host.calls(listChanged)).toHaveLength(era === '2025-11-25' ? 2 : 0);
  });

  it('roots-32: no request or notification of a server adds a root or a grant', async () => {
    const roots = await manager('a');
    const host = await wired(era, {
      clock: impatient,
      roots,
      answer: () => ({ action: 'decline' }),
      tool: wire => wire.ask({ roots: [{ uri: uri('b') }], uris: [uri('b')] }, 'roots/list'),
    });
    expect(await told(host)).toEqual([]);
    for (const method of ['notifications/roots/list_changed', 'notifications/roots/add', 'roots/add'])
      await host.wire.notify(method, { roots: [{ uri: uri('b') }] });
    if (era === '2025-11-25')
      for (const method of ['roots/add', 'roots/set', 'roots/grant'])
        expect((await host.wire.request(method, { uri: uri('b'), roots: [{ uri: uri('b') }] })).error?.code).toBe(
          -32601,
        );
    expect(await told(host)).toEqual([]);
    expect(roots.list().map(root => root.path)).toEqual([at('a')]);
    expect([...roots.grants()]).toEqual([['notes', []]]);
  });

  it('roots-32: no view can grant what was not offered', async () => {
    const roots = await manager('a');
    const host = await hosted(roots, () => undefined);
    const calling = told(host);
    const { id } = await nextQuestion(host.inbox);
    const grant = (...uris: string[]) => host.inbox.reply(id, { action: 'accept', content: { uris } }, 'script');
    for (const uris of [[uri('b')], [uri('a'), uri('b')], ['file:///']])
      expect(await grant(...uris)).toMatchObject({ ok: false, problem: 'invalid', issues: [{ field: 'uris' }] });
    expect(await host.inbox.reply(id, { action: 'accept' }, 'script')).toMatchObject({ ok: false });
    expect(await grant()).toMatchObject({ ok: false, problem: 'invalid', issues: [{ rule: 'minItems' }] });
    expect(await grant(uri('a'))).toEqual({ ok: true });
    expect(await calling).toEqual([{ uri: uri('a'), name: 'a' }]);
  });

  it('roots-37: the person is asked before a server learns of any root, once, and their no holds', async () => {
    const roots = await manager('a', 'b');
    const refused = await hosted(roots, () => ({ action: 'decline' }));
    expect([await told(refused), await told(refused)]).toEqual([[], []]);
    expect(refused.shown).toMatchObject([
      { kind: 'roots', asker: { id: 'notes' }, roots: [{ uri: uri('a') }, { uri: uri('b') }] },
    ]);
    expect(JSON.stringify(refused.sent)).not.toContain(base);
    const dismissed = await hosted(await manager('a'), () => ({ action: 'dismiss' }));
    expect(await told(dismissed)).toEqual([]);
    expect(JSON.stringify(dismissed.sent)).not.toContain(base);
    const some = await manager('a', 'b');
    const accepted = await hosted(some, sharing(uri('b')));
    expect([await told(accepted), await told(accepted)]).toEqual([
      [{ uri: uri('b'), name: 'b' }],
      [{ uri: uri('b'), name: 'b' }],
    ]);
    expect(accepted.shown).toHaveLength(1);
    expect(some.granted('another server')).toBeUndefined();
  });

  it('roots-37: no root is told where a decision of the person refuses it, whatever was granted', async () => {
    const policy = new Policy();
    policy.add({ server: 'notes', subject: 'roots', effect: 'refuse' });
    const roots = await manager('a');
    await roots.grant('notes', [uri('a')]);
    const host = await wired(era, { clock: impatient, roots, policy, tool: wire => wire.ask({}, 'roots/list') });
    expect(await told(host)).toEqual([]);
    expect(host.shown).toEqual([]);
  });
});
