/** What open pages are told while a server makes a great many changes. */
import { expect, it } from 'vitest';
import { Live } from '../../packages/host/src/web/workspace/live.ts';
import { handClock } from '../host/clock.ts';

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** Every event that can be read now, by its id. */
async function unread(reader: ReadableStreamDefaultReader<Uint8Array>, live: Live): Promise<readonly string[]> {
  const ids: string[] = [];
  live.changed({ text: 'the end', alert: false });
  for (;;) {
    const piece = text((await reader.read()).value);
    const id = /^id: (\d+)$/m.exec(piece)?.[1];
    if (piece.includes('the end')) return ids;
    if (id !== undefined) ids.push(id);
  }
}

it('live-L1: tells of changes at once, of those that follow quickly as one, and of what is said each time', async () => {
  const clock = handClock();
  const live = new Live(clock);
  const reader = live.stream(0).getReader();
  for (let at = 0; at < 10_000; at += 1) live.changed();
  expect(await unread(reader, live)).toEqual(['1']);
  clock.move(50);
  for (let at = 0; at < 10_000; at += 1) live.changed();
  live.changed({ text: 'a question', alert: true });
  live.changed({ text: 'another', alert: true });
  expect(await unread(reader, live)).toEqual(['3', '4', '5']);
  clock.move(50);
  clock.move(50);
  expect(await unread(reader, live)).toEqual(['7']);
  expect(clock.waiting).toBe(0);
});

it('live-L2: keeps little for a page that does not read, and tells it once when it reads again', async () => {
  const live = new Live(handClock());
  const reader = live.stream(0).getReader();
  const say = (at: number) => live.changed({ text: `${at}`, alert: false });
  for (let at = 1; at <= 10_000; at += 1) say(at);
  const seen: string[] = [];
  while (seen.at(-1) !== '10000') seen.push(/^id: (\d+)$/m.exec(text((await reader.read()).value))?.[1] ?? '');
  expect(seen.length).toBeLessThan(300);
  say(0);
  expect(text((await reader.read()).value)).toContain('id: 10001');
});

it('wakes nobody once it is closed', () => {
  const clock = handClock();
  const live = new Live(clock);
  live.changed();
  live.close();
  expect(clock.waiting).toBe(0);
});
