/** Which upstream server a host uses, when one is told of other directories, and when one is stopped. */
import { describe, expect, it } from 'vitest';
import { UpstreamPool } from '../../packages/midcall/src/bridge/http/upstream-pool.ts';
import type { UpstreamSession } from '../../packages/midcall/src/bridge/upstream/upstream-session.ts';
import { handClock } from '../host/clock.ts';

const plain = { hasRoots: false, declares: {} };
const rooted = { hasRoots: true, declares: {} };

const idleMs = 60_000;

function poolOf() {
  const clock = handClock();
  const running: { number: number; hasRoots: boolean; told: string[][]; calls: { size: number }; closed: boolean }[] =
    [];
  const pool = new UpstreamPool({
    clock,
    idleMs,
    async start(number, { hasRoots }) {
      const server = { number, hasRoots, told: [] as string[][], calls: { size: 0 }, closed: false };
      running.push(server);
      return {
        ...server,
        calls: server.calls,
        hostRoots: hasRoots
          ? { take: async (roots: { uri: string }[]) => void server.told.push(roots.map(({ uri }) => uri)) }
          : undefined,
        close: async () => {
          server.closed = true;
        },
      } as unknown as UpstreamSession;
    },
  });
  return { pool, clock, running };
}

const a = [{ uri: 'file:///a' }];
const b = [{ uri: 'file:///b' }];
const session = () => ({ live: true });
const request = () => ({ live: false });
const settled = () => new Promise(setImmediate);

describe('the upstream servers of one principal', () => {
  it('the upstream servers of one principal are one for all hosts that name no directories', async () => {
    const { pool, running } = poolOf();
    const all = await Promise.all([pool.any(session(), plain), pool.any(request(), plain), pool.any(session(), plain)]);
    expect(new Set(all).size).toBe(1);
    expect(running).toHaveLength(1);
  });

  it('the upstream servers of one principal are one for the same directories, and another for others while somebody uses them', async () => {
    const { pool, running } = poolOf();
    const [one, other] = [session(), session()];
    const first = await pool.withRoots(one, a, rooted);
    expect(await pool.withRoots(request(), a, rooted)).toBe(first);
    expect(await pool.withRoots(other, b, rooted)).not.toBe(first);
    expect(running.map(({ told }) => told)).toEqual([[['file:///a']], [['file:///b']]]);
  });

  it('the upstream servers of one principal are told of other directories by the only session that uses them, also during its calls', async () => {
    const { pool, running } = poolOf();
    const only = session();
    await pool.withRoots(only, a, rooted);
    running[0]!.calls.size = 1;
    await pool.withRoots(only, b, rooted);
    expect(running.map(({ told }) => told)).toEqual([[['file:///a'], ['file:///b']]]);
  });

  it('the upstream servers of one principal are not told of other directories while a call of an earlier request runs', async () => {
    const { pool, running } = poolOf();
    const before = request();
    await pool.withRoots(before, a, rooted);
    running[0]!.calls.size = 1;
    pool.leave(before);
    const after = request();
    await pool.withRoots(after, b, rooted);
    expect(running.map(({ told }) => told)).toEqual([[['file:///a']], [['file:///b']]]);
    pool.leave(after);
    await pool.withRoots(request(), [...a, ...b], rooted);
    expect(running).toHaveLength(2);
  });

  it('the upstream servers of one principal keep hosts with directories apart from those without', async () => {
    const { pool, running } = poolOf();
    await pool.any(session(), plain);
    await pool.withRoots(session(), a, rooted);
    expect(running.map(({ hasRoots }) => hasRoots)).toEqual([false, true]);
  });

  it('the upstream servers of one principal are stopped when nobody has used them for a while, and no call runs', async () => {
    const { pool, running, clock } = poolOf();
    const user = session();
    await pool.any(user, plain);
    clock.move(10 * idleMs);
    expect(running[0]!.closed).toBe(false);
    running[0]!.calls.size = 1;
    pool.leave(user);
    clock.move(idleMs);
    await settled();
    expect(running[0]!.closed).toBe(false);
    running[0]!.calls.size = 0;
    clock.move(idleMs);
    await settled();
    expect(running[0]!.closed).toBe(true);
    expect(pool.size).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('the upstream servers of one principal are not stopped where somebody is back in time', async () => {
    const { pool, running, clock } = poolOf();
    const first = request();
    await pool.any(first, plain);
    pool.leave(first);
    clock.move(idleMs - 1);
    const second = request();
    await pool.any(second, plain);
    clock.move(idleMs);
    pool.leave(second);
    clock.move(idleMs - 1);
    await settled();
    expect(running.map(({ closed }) => closed)).toEqual([false]);
  });

  it('the upstream servers of one principal make room by stopping one that nobody uses, and none that is in use', async () => {
    const { pool, running } = poolOf();
    const user = session();
    await pool.any(user, plain);
    expect(await pool.closeUnused()).toBe(false);
    pool.leave(user);
    expect(await pool.closeUnused()).toBe(true);
    expect(running[0]!.closed).toBe(true);
  });

  it('the upstream servers of one principal are told of the next directories once they have taken those before', async () => {
    const did: string[] = [];
    const hostRoots = {
      async take([root]: { uri: string }[]) {
        did.push(`begins ${root!.uri}`);
        await settled();
        did.push(`has ${root!.uri}`);
      },
    };
    const started = { calls: { size: 0 }, hostRoots, close: async () => {} } as unknown as UpstreamSession;
    const pool = new UpstreamPool({ clock: handClock(), idleMs, start: async () => started });
    const only = session();
    await Promise.all([a, b].map(roots => pool.withRoots(only, roots, rooted)));
    expect(did).toEqual(['begins file:///a', 'has file:///a', 'begins file:///b', 'has file:///b']);
  });

  it('the upstream servers of one principal count from before they are started, so that whoever starts one may refuse it', async () => {
    const sizes: number[] = [];
    const pool = new UpstreamPool({
      clock: handClock(),
      idleMs,
      async start() {
        sizes.push(pool.size);
        if (pool.size > 1) throw new Error('no more');
        return { calls: { size: 0 }, close: async () => {} } as unknown as UpstreamSession;
      },
    });
    await pool.any(session(), plain);
    await expect(pool.withRoots(session(), a, rooted)).rejects.toThrow('no more');
    expect([sizes, pool.size]).toEqual([[1, 2], 1]);
  });

  it('the upstream servers of one principal are tried again after a start that failed', async () => {
    const clock = handClock();
    let starts = 0;
    const pool = new UpstreamPool({
      clock,
      idleMs,
      async start() {
        starts += 1;
        throw new Error('no such program');
      },
    });
    for (const _ of [1, 2]) await expect(pool.any(session(), plain)).rejects.toThrow('no such program');
    expect([starts, pool.size]).toEqual([2, 0]);
  });
});
