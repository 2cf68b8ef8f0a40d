/** Calls that are answered before their handler is called: what is answered so, what is left, and what becomes of each. */
import type { CallProgress } from '@midcall/host';
import type { DirectRequest } from '@midcall/server';
import { describe, expect, it } from 'vitest';
import { DirectCalls } from '../../packages/midcall/src/bridge/direct-calls.ts';
import { handClock } from '../host/clock.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call at the upstream server, ended by hand. */
function callByHand() {
  const did: string[] = [];
  let happen: (happened: unknown) => void = () => {};
  let progress: (told: CallProgress) => void = () => {};
  const happened = new Promise(resolve => {
    happen = resolve;
  });
  const call = {
    id: 'call-1',
    sentAway: false,
    samplesAtHost: false,
    first: (listener: (happened: unknown) => void) => void happened.then(listener),
    join: (listener: typeof progress) => {
      progress = listener;
      did.push('join');
      return () => void did.push('leave');
    },
    delivered: () => void did.push('delivered'),
    stop: () => void did.push('stop'),
  };
  return { call, did, happen: (told: unknown) => happen(told), progress: (told: CallProgress) => progress(told) };
}

function stage(given: { state?: string; logs?: Json | undefined; noSession?: true; ownModels?: boolean } = {}) {
  const byHand = callByHand();
  const clock = handClock();
  let behind = 0;
  const begun: unknown[] = [];
  const open = new Set<unknown>();
  const session = {
    connection: { state: given.state ?? 'ready' },
    logsNow: () => ('logs' in given ? given.logs : {}),
    calls: {
      begin: (request: unknown, principal: unknown) => {
        begun.push([request, principal]);
        return byHand.call;
      },
    },
  };
  const link = {
    begin: (request: unknown) => {
      open.add(request);
      return () => void open.delete(request);
    },
  };
  const calls = new DirectCalls({
    link,
    session: () => (given.noSession ? undefined : session),
    principal: 'somebody',
    ownModels: given.ownModels ?? false,
    clock: { ...clock, now: () => clock.now() - behind },
  } as never);
  const told: unknown[] = [];
  const begin = (params: Json, capabilities: unknown = {}, id = 7) => {
    const request: DirectRequest = {
      id,
      params,
      envelope: {},
      capabilities,
      notify: async notification => void told.push(notification),
    };
    return calls.begin('tools/call', 'tool', request);
  };
  const setBack = (ms: number): void => {
    behind += ms;
  };
  return { ...byHand, clock, setBack, begun, open, calls, told, begin, session };
}

const call = { name: 't', arguments: { a: 1 } };
const completed = { outcome: { how: 'completed', result: { content: [], own: true } } };

describe('a call', () => {
  it('is made at once, for its principal, with what else its host says and what is to be logged', async () => {
    const { begin, begun } = stage({ logs: { level: 'debug' } });
    begin({ ...call, own: 1, _meta: { 'example.com/key': 2, progressToken: 3 } });
    const rest = { own: 1, _meta: { 'example.com/key': 2, level: 'debug' } };
    expect(begun).toEqual([[{ kind: 'tool', name: 't', arguments: { a: 1 }, rest }, 'somebody']]);
  });

  it.each([
    ['its result', completed],
    ['what the tool says failed', { outcome: { how: 'tool-error', result: { content: [], isError: true } } }],
  ])('is answered with %s, and over', async (_, happened) => {
    const { begin, happen, did, open, calls } = stage();
    const answer = begin(call)!;
    expect(open.size).toBe(1);
    happen(happened);
    expect(await answer.result).toEqual(happened.outcome.result);
    expect(did).toEqual(['join', 'delivered', 'leave']);
    expect(open.size).toBe(0);
    expect(calls.take(7)).toBeUndefined();
    answer.end('cancelled');
    expect(did).not.toContain('stop');
  });

  it.each([
    ['asks something', { question: { id: 'q' } }],
    ['asks a model', { sample: {} }],
    ['is refused', { outcome: { how: 'refused', code: -1, message: 'no' } }],
    ['loses its server', { outcome: { how: 'server-gone', message: 'gone' } }],
  ])('that %s is its handler’s, which finds it where it is, once (direct-calls-D1)', async (_, happened) => {
    const { begin, happen, did, calls, call: made, session, begun } = stage();
    const answer = begin(call)!;
    happen(happened);
    expect(await answer.result).toBeUndefined();
    expect(did).toEqual(['join']);
    expect(calls.take(7)).toMatchObject({ session, upstreamCall: made });
    expect(calls.take(7)).toBeUndefined();
    expect(begun).toHaveLength(1);
  });

  it('that takes longer is its handler’s, and no result is given twice', async () => {
    const { begin, happen, clock, did, calls } = stage();
    const answer = begin(call)!;
    clock.move(1_000);
    expect(await answer.result).toBeUndefined();
    const begun = calls.take(7)!;
    happen(completed);
    await Promise.resolve();
    expect(did).toEqual(['join']);
    begun.leave();
    expect(did).toEqual(['join', 'leave']);
  });

  it('is handed over when its own time is up, whatever others there are', async () => {
    const { clock, begin } = stage();
    const left: number[] = [];
    for (const id of [1, 2, 3]) {
      void begin(call, {}, id)!.result.then(result => result ?? left.push(id));
      clock.move(400);
    }
    await Promise.resolve();
    expect(left).toEqual([1]);
    clock.move(599);
    await Promise.resolve();
    expect(left).toEqual([1, 2]);
    clock.move(1);
    await Promise.resolve();
    expect(left).toEqual([1, 2, 3]);
    expect(clock.waiting).toBe(0);
  });

  it('is handed over in time though the clock was set back meanwhile', async () => {
    const { clock, setBack, begin } = stage();
    let handedOver = false;
    void begin(call)!.result.then(result => {
      handedOver = result === undefined;
    });
    setBack(3_600_000);
    clock.move(1_000);
    await Promise.resolve();
    expect([handedOver, clock.waiting]).toEqual([true, 0]);
  });

  it.each([
    ['is stopped where its host takes it back', 'cancelled', ['join', 'stop', 'leave'], false],
    ['is kept where its host is gone', 'gone', ['join', 'leave'], true],
  ] as const)('%s (direct-calls-D2)', async (_, how, does, isKept) => {
    const { begin, happen, did, open, call: made, calls } = stage();
    const answer = begin(call)!;
    answer.end(how);
    expect([did, made.sentAway, open.size]).toEqual([does, isKept, 0]);
    expect(calls.take(7)).toBeUndefined();
    happen(completed);
    expect(await answer.result).toBeUndefined();
    expect(did).not.toContain('delivered');
  });

  it('that its handler has is not ended from here', () => {
    const { begin, did, calls } = stage();
    const answer = begin(call)!;
    calls.take(7);
    answer.end('cancelled');
    expect(did).toEqual(['join']);
  });

  it('tells its progress to a host that asked for it, and to no other', () => {
    const asked = stage();
    asked.begin({ ...call, _meta: { progressToken: 'p' } });
    asked.progress({ progress: 1, total: 2 });
    const params = { progress: 1, total: 2, progressToken: 'p' };
    expect(asked.told).toEqual([{ method: 'notifications/progress', params }]);
    const other = stage();
    other.begin(call);
    other.progress({ progress: 1 });
    expect(other.told).toEqual([]);
  });

  it.each([
    ['declares it', { sampling: {} }, false, true],
    ['does not', {}, false, false],
    ['declares it, and the operator has given models', { sampling: {} }, true, false],
  ])('samples at a host that %s: %j', (_, capabilities, ownModels, samples) => {
    const { begin, call: made } = stage({ ownModels });
    begin(call, capabilities);
    expect(made.samplesAtHost).toBe(samples);
  });
});

describe('a call is left to its handler from the start, and nothing of it stays,', () => {
  it.each([
    ['where the server is not to be used yet', { noSession: true } as const],
    ['where the server does not run', { state: 'starting' }],
    ['where the server is to be told first what to log', { logs: undefined }],
  ])('%s', (_, given) => {
    const { begin, begun, open, calls } = stage(given);
    expect(begin(call)).toBeUndefined();
    expect([begun, open.size, calls.take(7)]).toEqual([[], 0, undefined]);
  });

  it('where it is none', () => {
    const { begin, begun, open } = stage();
    expect(begin({ name: 1 })).toBeUndefined();
    expect([begun, open.size]).toEqual([[], 0]);
  });
});
