/** What open pages are told while a server makes a great many changes. */
import { afterEach, describe, expect, it, vi } from 'vitest';
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

it('live-L1: a page is told of changes at once, of those that follow quickly as one, and of what is said each time', async () => {
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

it('live-L2: little is kept for a page that does not read, and it is told once when it reads again', async () => {
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

describe('live-L3', () => {
  const question = { text: 'a question', alert: true };
  /** The events of a stream as they are read: what they said, and the page that came with each. */
  const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
    const { page, text: said } = JSON.parse(/^data: (.*)$/m.exec(text((await reader.read()).value))![1]!);
    return { said, page };
  };
  const opened = async (render: () => Promise<string | undefined>) => {
    const clock = handClock();
    const live = new Live(clock);
    const reader = live.stream(0, render).getReader();
    await reader.read();
    return { clock, live, reader };
  };

  it('the page comes with a question, and with nothing else; of questions that follow quickly, with the first', async () => {
    const { clock, live, reader } = await opened(async () => 'the page');
    live.changed();
    live.changed({ text: 'an ending', alert: false });
    const plain = [await read(reader), await read(reader)];
    expect(plain).toEqual([{}, { said: 'an ending' }]);
    for (const page of ['the page', undefined]) {
      live.changed(question);
      expect(await read(reader)).toEqual({ said: 'a question', page });
    }
    clock.move(50);
    live.changed(question);
    expect(await read(reader)).toEqual({ said: 'a question', page: 'the page' });
  });

  it('a question is told all the same where the page cannot be rendered, or not in the same turn, and the order stays', async () => {
    const renders = [() => Promise.reject(new Error('broken')), () => new Promise<never>(() => {})];
    for (const render of renders) {
      const { live, reader } = await opened(render);
      live.changed(question);
      live.changed({ text: 'an ending', alert: false });
      expect([await read(reader), await read(reader)]).toEqual([{ said: 'a question' }, { said: 'an ending' }]);
    }
  });

  it('no page is brought to one that does not read, and none once the stream has ended', async () => {
    let rendered = 0;
    const { live, reader } = await opened(async () => `${++rendered}`);
    live.changed({ text: 'unread', alert: false });
    live.changed(question);
    expect(rendered).toBe(0);
    expect([await read(reader), await read(reader)]).toEqual([{ said: 'unread' }, { said: 'a question' }]);
    live.changed(question);
    live.close();
    expect(rendered).toBe(1);
    expect((await reader.read()).done).toBe(true);
  });
});

it('live-L4: a page that missed questions is told of those that are still open, and of no other that they had come', async () => {
  const live = new Live(handClock());
  const asks = (id: string) => live.changed({ text: `${id} came`, alert: true, asked: { id, isBrief: false } });
  asks('a');
  asks('b');
  live.changed({ text: 'a ended', alert: false, ended: 'a' });
  const reader = live.stream(0).getReader();
  await reader.read();
  const said: unknown[] = [];
  for (let at = 0; at < 3; at += 1) said.push(JSON.parse(/^data: (.*)$/m.exec(text((await reader.read()).value))![1]!));
  expect(said).toMatchObject([{}, { text: 'b came', alert: true }, { text: 'a ended', ended: 'a' }]);
  expect(Object.keys(said[0] as object)).toEqual([]);
});

describe('a quiet stream', () => {
  afterEach(() => void vi.useRealTimers());

  it('a quiet stream gives its page a sign of life at once and every 15 seconds, until it ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const live = new Live(handClock());
    const reader = live.stream(0).getReader();
    const alive = 'event: alive\ndata: {}\n\n';
    expect(text((await reader.read()).value)).toBe(alive);
    for (let at = 0; at < 2; at += 1) {
      vi.advanceTimersByTime(15_000);
      expect(text((await reader.read()).value)).toBe(alive);
    }
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('nobody is woken once the stream of changes is closed', () => {
  const clock = handClock();
  const live = new Live(clock);
  live.changed();
  live.close();
  expect(clock.waiting).toBe(0);
});
