/** How many pages of a person may listen to changes at a time, and what they are shown when the store fails, or their session has ended. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicUrl, type Service, service, stopServices } from './notify-stage.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-streams-'));
});
afterEach(async () => {
  await stopServices();
  rmSync(folder, { recursive: true, force: true });
});

interface Session {
  readonly at: string;
  readonly cookie: string;
}

/** The stream of a page. */
async function listen({ inbox }: Service, { at, cookie }: Session) {
  const headers = { host: 'localhost:8080', cookie: `midcall-inbox=${cookie}` };
  const page = await inbox.pages(new Request(`http://localhost:8080/inbox/s/${at}/events`, { headers }));
  expect(page!.status).toBe(200);
  const reader = page!.body!.getReader();
  let isOver = false;
  const read = async (): Promise<void> => {
    while (!(await reader.read()).done);
    isOver = true;
  };
  const over = read();
  return { over, isOver: () => isOver, close: () => reader.cancel() };
}

it('the page that began first ends where a person listens on too many, in whatever sessions, and nobody else’s does', async () => {
  const a = await service(join(folder, 'inbox.db'));
  const sessions = [await a.signIn('ada'), await a.signIn('ada')] as const;
  const bobs = await listen(a, await a.signIn('bob'));
  const streams = await Promise.all(Array.from({ length: 32 }, (_, n) => listen(a, sessions[n % 2]!)));
  const open = () => streams.filter(each => !each.isOver()).length;
  expect(open()).toBe(32);

  streams.push(await listen(a, sessions[0]));
  await streams[0]!.over;
  expect(open()).toBe(32);
  // It comes back, and is the newest.
  streams.push(await listen(a, sessions[0]));
  await streams[1]!.over;
  expect([open(), bobs.isOver(), a.inbox.isWatched('bob')]).toEqual([32, false, true]);

  // One that is closed makes room.
  await streams[2]!.close();
  await streams[2]!.over;
  streams.push(await listen(a, sessions[1]));
  const { id } = await a.ask('ada');
  expect((await a.inbox.store.person('ada').get(id))!.question.id).toBe(id);
  expect([open(), a.inbox.isWatched('ada')]).toEqual([32, true]);
  for (const each of streams) await each.close();
  expect(a.inbox.isWatched('ada')).toBe(false);
});

it('a person whose inbox cannot be read or written is told so on a page, and the operator why', async () => {
  const a = await service(join(folder, 'inbox.db'));
  const { at, cookie } = await a.signIn('ada');
  await a.inbox.store.stop();
  const headers = { host: 'localhost:8080', cookie: `midcall-inbox=${cookie}` };
  const page = await a.inbox.pages(new Request(`http://localhost:8080/inbox/s/${at}/`, { headers }));
  expect([page!.status, page!.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
  expect(await page!.text()).toContain('The inbox cannot be used at the moment.');
  expect(a.errors).toMatchObject([{ code: 'store/unavailable' }]);
});

it('an answer that meets an inbox which cannot be used is said to be unknown, with a way back to its question', async () => {
  const a = await service(join(folder, 'inbox.db'));
  const { at, cookie } = await a.signIn('ada');
  await a.inbox.store.stop();
  const headers = { host: 'localhost:8080', cookie: `midcall-inbox=${cookie}`, origin: publicUrl.origin };
  const page = await a.inbox.pages(
    new Request(`http://localhost:8080/inbox/s/${at}/questions/q1`, { method: 'POST', headers }),
  );
  const text = await page!.text();
  expect(page!.status).toBe(500);
  expect(text).toContain('It is not known whether your answer arrived.');
  expect(text).toContain(`href="/inbox/s/${at}/questions/q1"`);
});

describe('where a session has ended', () => {
  const at = 'a'.repeat(32);
  const ended = async (path: string, method = 'GET') => {
    const a = await service(join(folder, 'inbox.db'));
    const headers = { host: 'localhost:8080', origin: publicUrl.origin };
    const page = await a.inbox.pages(new Request(`http://localhost:8080/inbox/s/${at}${path}`, { method, headers }));
    expect(page!.status).toBe(401);
    const text = await page!.text();
    return { text, signIn: /href="(\/inbox\/sign-in[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&') };
  };

  it.each([
    ['a question', '/questions/q%2F1', '/inbox/sign-in?question=q%2F1'],
    ['what is done with a question', '/questions/q1/passkey', '/inbox/sign-in?question=q1'],
    ['the passkeys', '/passkeys', '/inbox/sign-in?passkeys='],
    ['the passkeys, and back to a question', '/passkeys?question=q1', '/inbox/sign-in?question=q1&passkeys='],
    ['the list', '/past', '/inbox/sign-in'],
    ['a question whose id cannot be read', '/questions/%zz', '/inbox/sign-in?question=%25zz'],
    ['the list, whatever else the path says', '//evil.example/questions/q1', '/inbox/sign-in'],
  ])('the sign-in leads to %s', async (_, path, to) => {
    expect((await ended(path)).signIn).toBe(to);
  });

  it('an answer is said not to be sent, and a page is not', async () => {
    expect((await ended('/questions/q1', 'POST')).text).toContain('Your answer was not sent.');
    expect((await ended('/questions/q1')).text).not.toContain('Your answer was not sent.');
  });

  it('a sign-in that cannot begin leads to the same place when it is tried again', async () => {
    const a = await service(join(folder, 'inbox.db'));
    const tried = async (query: string) => {
      const headers = { host: 'localhost:8080' };
      const page = await a.inbox.pages(new Request(`http://localhost:8080/inbox/sign-in${query}`, { headers }));
      expect(page!.status).toBe(401);
      return /href="(\/inbox\/sign-in[^"]*)"/.exec(await page!.text())![1]!.replaceAll('&amp;', '&');
    };
    for (const query of ['?question=q1', '?passkeys=&again', '?question=q1&passkeys=&again', '', '?again'])
      expect(await tried(query)).toBe(`/inbox/sign-in${query}`);
  });
});
