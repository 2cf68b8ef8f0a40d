/** How many pages of a person may listen to changes at a time, and what they are shown when the store fails. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Service, service, stopServices } from './notify-stage.ts';

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
