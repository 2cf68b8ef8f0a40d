/**
 * Calls whose results are handed on as they come, past everything that follows calls, beside the same calls while somebody watches the
 * wire, which are followed from the start: nothing may be different.
 */
import { fileURLToPath } from 'node:url';
import {
  type CallOutcome,
  type CallProgress,
  Connection,
  type ConnectionEvent,
  commandTarget,
  type Era,
  Inbox,
} from '@midcall/host';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ForwardedRequests } from '../../packages/host/src/sdk-seam/forwarded-requests.ts';

const server = fileURLToPath(new URL('plain-server.mjs', import.meta.url));
const eras: readonly Era[] = ['2025-11-25', '2026-07-28'];

async function connected(era: Era, isWatched: boolean) {
  const inbox = new Inbox();
  const target = commandTarget([process.execPath, server, era]);
  const connection = new Connection({ id: 'plain', target }, { client: { name: 't', version: '1' }, inbox, era });
  if (isWatched) connection.wire.subscribe(() => {});
  await connection.start();
  inbox.subscribe(event => {
    if (event.type === 'asked') void inbox.reply(event.question.id, { action: 'accept', content: {} }, 'web');
  });
  const events: unknown[] = [];
  connection.subscribe((event: ConnectionEvent) => {
    if (event.type === 'call-started' || event.type === 'call-ended') events.push([event.type, event.call]);
    if (event.type === 'call-progress') events.push([event.type, event.progress]);
  });
  let made = 0;
  /** @returns how the call ended, and its progress */
  const call = (name: string, args: Readonly<Record<string, unknown>> = {}, rest = {}) => {
    made += 1;
    const id = `call-${made}`;
    const progress: CallProgress[] = [];
    const ended = new Promise<CallOutcome>(onEnd =>
      connection.pass(
        { kind: 'tool', name, arguments: args, rest },
        { id, timeoutMs: Number.POSITIVE_INFINITY, onProgress: each => progress.push(each), onEnd },
      ),
    );
    return { id, ended: ended.then(outcome => ({ outcome, progress })) };
  };
  /** The params of each call that the server was sent since it was asked last. */
  const said = async () => {
    const answer = await connection.forward({ method: 'test/said' });
    const { lines } = ('result' in answer ? answer.result : {}) as { lines: Readonly<Record<string, unknown>>[] };
    return lines.map(({ _meta, ...params }) => {
      const { progressToken, ...meta } = _meta as Record<string, unknown>;
      return { ...params, _meta: meta, token: typeof progressToken };
    });
  };
  return { connection, call, said, events, [Symbol.asyncDispose]: () => connection.stop() };
}

const followed = vi.spyOn(ForwardedRequests.prototype, 'sendCall');
afterEach(() => followed.mockClear());

/** Those that need nobody to follow them, and those that do. */
const plain = ['plain', 'failing', 'twice', 'proto', 'huge', 'split', 'stray', 'batch'];
const others = [
  ...['refused', 'collides', 'more', 'both-members', 'no-object', 'proto-beside', 'deep', 'later', 'progress'],
  ...['logs', 'same-id', 'asks', 'exits'],
];

describe.each(eras)('a call of a server of %s that is handed on', era => {
  it.each([...plain, ...others])("ends as one that is watched does, and is made once: '%s'", async name => {
    const ends = [];
    for (const isWatched of [false, true]) {
      await using on = await connected(era, isWatched);
      const args = JSON.parse('{"a":1,"__proto__":{"b":2}}') as Readonly<Record<string, unknown>>;
      const { ended } = on.call(name, args, { _meta: { traceparent: '00-1' }, own: [1] });
      const { outcome, progress } = await ended;
      const said = name === 'exits' ? [] : await on.said();
      expect(followed.mock.calls.length).toBe(
        isWatched ? (plain.includes(name) ? 1 : 2) : plain.includes(name) ? 0 : 1,
      );
      if (name !== 'exits') expect(said.filter(each => !('inputResponses' in each))).toHaveLength(1);
      ends.push({ outcome, progress, said, events: on.events });
    }
    expect(ends[0]).toEqual(ends[1]);
  });

  it('goes on when others do: each answer goes to its own, whichever way the others take', async () => {
    await using on = await connected(era, false);
    const names = ['plain', 'plain', 'asks', 'failing', 'refused', 'plain', 'progress', 'huge', 'plain'];
    const ends = await Promise.all(names.map(name => on.call(name).ended));
    expect(ends.map(({ outcome }) => outcome.how)).toEqual(
      names.map(name => ({ failing: 'tool-error', refused: 'refused' })[name] ?? 'completed'),
    );
    expect((await on.said()).filter(each => !('inputResponses' in each))).toHaveLength(names.length);
    const started = on.events.filter(each => (each as string[])[0] === 'call-started');
    const ended = on.events.filter(each => (each as string[])[0] === 'call-ended');
    expect([started.length, ended.length]).toEqual([names.length, names.length]);
  });

  it('is stopped at its server when it is cancelled, and so are its questions; others go on', async () => {
    await using on = await connected(era, false);
    const [never, other] = [on.call('never'), on.call('never')];
    expect(on.connection.cancel(never.id)).toBe(true);
    expect((await never.ended).outcome).toEqual({ how: 'cancelled' });
    expect((await on.call('plain').ended).outcome.how).toBe('completed');
    expect(on.connection.cancel(other.id)).toBe(true);
    expect((await other.ended).outcome).toEqual({ how: 'cancelled' });
    expect(await on.said()).toHaveLength(3);
  });

  it('ends when its connection does', async () => {
    const on = await connected(era, false);
    const { ended } = on.call('never');
    await on.connection.stop();
    expect((await ended).outcome.how).toBe('server-gone');
  });

  it('is seen by who begins to watch the wire while it is in progress: its request, and its answer', async () => {
    await using on = await connected(era, false);
    const { ended } = on.call('split');
    const seen: string[] = [];
    on.connection.wire.subscribe(({ direction, message }) => {
      if (String(message['id']).startsWith('midcall-forwarded:')) seen.push(direction);
    });
    await ended;
    expect(seen).toEqual(['sent', 'received']);
    expect(await on.said()).toHaveLength(1);
  });
});
