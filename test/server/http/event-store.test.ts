import { systemClock } from '@midcall/core/time';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedEventStore, EventBound } from '../../../packages/server/src/http/event-store.ts';

const note = (n: number): JSONRPCMessage => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } });
const result = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

async function replay(store: ReturnType<typeof boundedEventStore>, after: string) {
  const sent: { id: string; message: JSONRPCMessage }[] = [];
  await store.replayEventsAfter(after, { send: async (id, message) => void sent.push({ id, message }) });
  return sent;
}

describe('the event store of a session', () => {
  it('events-E1: the event store of a session replays one stream, in order, each message once, whatever else was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 }), async streams => {
        const store = boundedEventStore();
        const ids: { stream: string; id: string; n: number }[] = [];
        for (const [n, stream] of streams.entries()) {
          ids.push({ stream, id: await store.storeEvent(stream, note(n)), n });
        }
        for (const from of ids) {
          const expected = ids.filter(each => each.stream === from.stream && each.n > from.n).map(each => each.id);
          expect((await replay(store, from.id)).map(each => each.id)).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('events-E1: the event store of a session does not replay the priming event as a message', async () => {
    const store = boundedEventStore();
    await store.storeEvent('a', note(1));
    const primed = await store.storeEvent('b', {} as JSONRPCMessage);
    await store.storeEvent('b', note(2));
    expect((await replay(store, primed)).map(each => each.message)).toEqual([note(2)]);
  });

  it('events-E2: the event store of a session forgets streams that were answered before those that wait', async () => {
    const store = boundedEventStore({ maxEvents: 3 });
    const waiting = await store.storeEvent('waiting', note(0));
    const answered = await store.storeEvent('answered', note(1));
    await store.storeEvent('answered', result(1));
    await store.storeEvent('waiting', note(2));
    expect(await replay(store, waiting)).toHaveLength(1);
    expect(await store.getStreamIdForEventId!(answered)).toBeUndefined();
  });

  it('events-E2: the event store of a session forgets the oldest message of all where every stream waits', async () => {
    const store = boundedEventStore({ maxEvents: 3 });
    const a = await store.storeEvent('a', note(0));
    const b = await store.storeEvent('b', note(1));
    await store.storeEvent('a', note(2));
    await store.storeEvent('b', note(3));
    expect(await replay(store, a)).toEqual([{ id: 'a.3', message: note(2) }]);
    await store.storeEvent('a', note(4));
    await store.storeEvent('a', note(5));
    expect(await replay(store, b)).toEqual([{ id: 'b.4', message: note(3) }]);
    await expect(replay(store, a)).rejects.toThrow('no longer kept');
  });

  it('events-E2: the event store of a session counts the bytes of what is no ASCII', async () => {
    const store = boundedEventStore({ maxBytes: 240 });
    const wide: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/message', params: { pad: '語'.repeat(40) } };
    const first = await store.storeEvent('a', note(0));
    await store.storeEvent('b', wide);
    expect(await store.getStreamIdForEventId!(first)).toBeUndefined();
    const pad = 'x'.repeat(40);
    const narrow = boundedEventStore({ maxBytes: 240 });
    const kept = await narrow.storeEvent('a', note(0));
    await narrow.storeEvent('b', { ...wide, params: { pad } } as JSONRPCMessage);
    expect(await narrow.getStreamIdForEventId!(kept)).toBe('a');
  });

  it('events-E3: the event store of a session does not resume across a hole', async () => {
    const store = boundedEventStore({ maxEvents: 2 });
    const [first, second] = [await store.storeEvent('a', note(0)), await store.storeEvent('a', note(1))];
    await store.storeEvent('a', note(2));
    await store.storeEvent('a', note(3));
    expect(await store.getStreamIdForEventId!(first)).toBeUndefined();
    expect(await replay(store, second)).toHaveLength(2);
    await expect(replay(store, first)).rejects.toThrow('no longer kept');
  });

  it('the event store of a session is bounded by bytes, and keeps at least the newest message', async () => {
    const store = boundedEventStore({ maxBytes: 200 });
    const big: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/message', params: { pad: 'x'.repeat(500) } };
    const first = await store.storeEvent('a', big);
    const second = await store.storeEvent('a', big);
    expect(await replay(store, first)).toHaveLength(1);
    expect(await replay(store, second)).toHaveLength(0);
  });

  it.each(['', 'a', 'a.', '.1', 'a.x', 'a.99', 'b.1', 'a.-1', 'a.1.5'])(
    'the event store of a session does not know the event %j',
    async id => {
      const store = boundedEventStore();
      await store.storeEvent('a', note(0));
      expect(await store.getStreamIdForEventId!(id)).toBeUndefined();
    },
  );
});

describe('the event stores of several sessions', () => {
  const padded = (id: number, length: number): JSONRPCMessage => ({
    jsonrpc: '2.0',
    id,
    result: { pad: 'x'.repeat(length) },
  });
  const knows = async (store: ReturnType<typeof boundedEventStore>, id: string): Promise<boolean> =>
    (await store.getStreamIdForEventId!(id)) !== undefined;

  it('events-E2: the event stores of several sessions forget the streams that were answered first, before any call that is open', async () => {
    const bound = new EventBound(Number.POSITIVE_INFINITY, 2_500);
    const [one, other] = [boundedEventStore({}, { bounds: [bound] }), boundedEventStore({}, { bounds: [bound] })];
    const waiting = await one.storeEvent('waiting', note(1));
    const first = await one.storeEvent('first', padded(1, 1_000));
    const second = await other.storeEvent('second', padded(1, 1_000));
    expect(await Promise.all([knows(one, first), knows(other, second)])).toEqual([true, true]);
    const third = await other.storeEvent('third', padded(2, 1_000));
    expect(await knows(one, first)).toBe(false);
    const kept = [knows(one, waiting), knows(other, second), knows(other, third)];
    expect(await Promise.all(kept)).toEqual([true, true, true]);
    expect(bound.bytes).toBeLessThanOrEqual(2_500);
  });

  it('events-E2: the event stores of several sessions forget the oldest message of all where every call is open', async () => {
    const bound = new EventBound(Number.POSITIVE_INFINITY, 150);
    const [one, other] = [boundedEventStore({}, { bounds: [bound] }), boundedEventStore({}, { bounds: [bound] })];
    const first = await one.storeEvent('a', note(1));
    const second = await one.storeEvent('a', note(2));
    const third = await one.storeEvent('a', note(3));
    await other.storeEvent('b', note(4));
    await expect(replay(one, first)).rejects.toThrow('no longer kept');
    expect(await replay(one, second)).toEqual([{ id: third, message: note(3) }]);
    expect(bound.bytes).toBeLessThanOrEqual(150);
  });

  it('the event stores of several sessions take no room once their session has ended', async () => {
    const bound = new EventBound(Number.POSITIVE_INFINITY, 2_500);
    const store = boundedEventStore({}, { bounds: [bound] });
    const id = await store.storeEvent('a', padded(1, 1_000));
    store.clear();
    await store.storeEvent('a', padded(2, 1_000));
    expect(bound.bytes).toBe(0);
    expect(await knows(store, id)).toBe(false);
  });

  it('events-E4: several event stores keep what was sent completely for a minute, and the rest for as long as there is room', async () => {
    const clock = { ...systemClock, at: 1_000, now: () => clock.at };
    const store = boundedEventStore({}, { clock });
    const ids = ['sent', 'unsent', 'open'].map(stream => store.prime(stream));
    for (const stream of ['sent', 'unsent']) await store.storeEvent(stream, padded(1, 10));
    for (const stream of ['sent', 'open']) store.sent(stream);
    const known = () => Promise.all(ids.map(id => knows(store, id)));
    clock.at += 59_999;
    store.tidy();
    expect(await known()).toEqual([true, true, true]);
    // A client that came back for the last bytes may lose them again.
    store.sent('sent');
    clock.at += 59_999;
    store.tidy();
    expect(await known()).toEqual([true, true, true]);
    clock.at += 1;
    store.tidy();
    expect(await known()).toEqual([false, true, true]);
  });
});
