/** Calls that go on upstream of a bridge: taken back at any moment, come back for by several, and kept no longer than needed. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Inbox } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UpstreamCalls } from '../../packages/midcall/src/bridge/upstream/upstream-calls.ts';
import { handClock } from '../host/clock.ts';
import { pairs, reply, stage, textOf } from './stage.ts';
import { ring, until, untilAfterRoots, untilArmed } from './until.ts';

const inDoubt = 'What this call did is in doubt: find out what took effect before calling again.';
const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const yes = { action: 'accept', content: { value: true } } as const;
const form = z.object({ value: z.boolean() });

/** A tool that asks so often; `made` counts the calls that came to their end. */
function asking(times = 1) {
  const made: string[] = [];
  const serve = (mid: Midcall, server: McpServer) =>
    mid.tool(server, 'make', {}, async (_, call) => {
      for (let n = 1; n <= times; n += 1) {
        const answer = await call.elicit({ message: `Make it? (${n})`, form });
        if (answer.action !== 'accept') return says(answer.action);
      }
      await call.step('make', () => void made.push('made'));
      return says(`made ${made.length}`);
    });
  return { made, serve };
}

const make = { name: 'make' };
const answerAll = async (inbox: Inbox) => {
  for (const { id } of inbox.list()) await inbox.reply(id, yes, 'web');
};
describe.each(pairs)('a host of %s before a server of %s', (host, upstream) => {
  it('a host that comes back for two calls that are the same finds each of them once', async () => {
    const { made, serve } = asking();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, capabilities: {}, atDesk: () => {} });
    const first = [on.client.callTool(make), on.client.callTool(make)];
    await untilAfterRoots(clock, () => on.inbox.list().length === 2);
    await untilArmed(clock, 45_000, 2);
    clock.move(45_000);
    for (const each of first) expect(textOf(await each)).toContain('again');
    await answerAll(on.inbox);
    const results = await Promise.all([on.client.callTool(make), on.client.callTool(make)]);
    expect(results.map(textOf).sort()).toEqual(['made 1', 'made 2']);
    expect(made).toHaveLength(2);
  });

  it('of a host that comes back twice at once for one call, one finds it, and the other is a call of its own', async () => {
    const { made, serve } = asking();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, capabilities: {}, atDesk: () => {} });
    const first = on.client.callTool(make);
    await untilAfterRoots(clock, () => on.inbox.list().length === 1);
    await untilArmed(clock, 45_000);
    clock.move(45_000);
    await first;
    await answerAll(on.inbox);
    const back = [on.client.callTool(make), on.client.callTool(make)];
    await untilAfterRoots(clock, () => on.inbox.list().length === 1);
    await answerAll(on.inbox);
    expect((await Promise.all(back)).map(textOf).sort()).toEqual(['made 1', 'made 2']);
    expect(made).toHaveLength(2);
  });

  it('a host waits for the desk no longer in all than for one question', async () => {
    const { serve } = asking(2);
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, capabilities: {}, atDesk: () => {} });
    const call = on.client.callTool(make);
    await untilAfterRoots(clock, () => on.opened.length === 1);
    await untilArmed(clock, 45_000);
    const [one] = on.inbox.list();
    clock.move(40_000);
    await answerAll(on.inbox);
    await until(() => on.inbox.list().some(({ id }) => id !== one!.id));
    await until(() => on.opened.length === 2);
    await untilArmed(clock, 5_000);
    clock.move(5_000);
    expect(textOf(await call)).toContain('again');
  });

  it('a client with roots that takes its call back stops the call upstream', async () => {
    const { serve } = asking();
    const root = { uri: pathToFileURL(realpathSync(mkdtempSync(join(tmpdir(), 'midcall-bridge-')))).href };
    const capabilities = { roots: {} };
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, capabilities, roots: [root], atDesk: () => {} });
    const abort = new AbortController();
    const call = on.client.callTool(make, { signal: abort.signal });
    await untilAfterRoots(clock, () => on.inbox.list().length === 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    await until(() => on.inbox.list().length === 0);
  });

  it('no timer is left behind of calls that end, that nobody comes back for, and that the host takes back', async () => {
    const { serve } = asking();
    const clock = handClock();
    await using on = await stage({ host, upstream, serve, clock, capabilities: {}, atDesk: () => {} });
    for (const way of ['ends', 'left', 'taken back']) {
      const abort = new AbortController();
      const call = on.client.callTool(make, { signal: abort.signal }).catch(() => says('taken back'));
      await untilAfterRoots(clock, () => on.inbox.list().length === 1);
      if (way === 'ends') await answerAll(on.inbox);
      if (way === 'taken back') abort.abort();
      if (way === 'left') {
        await untilArmed(clock, 45_000);
        clock.move(45_000);
      }
      await call;
      if (way === 'left') {
        await untilArmed(clock, 900_000);
        clock.move(900_000);
      }
      await until(() => on.inbox.list().length === 0);
    }
    await until(() => clock.waiting === 0);
  });

  it('a host gets the result of a call that ended while its person was still being asked', async () => {
    let give = (): void => {};
    let made = 0;
    let tookBack = (): void => {};
    const late = new Promise<void>(resolve => {
      tookBack = resolve;
    });
    await using on = await stage({
      host,
      upstream: '2025-11-25',
      answers: [
        () => {
          give();
          return late.then(() => ({ action: 'accept', content: { value: true } }));
        },
      ],
      serve: (_, server) =>
        server.registerTool('hasty', {}, async ctx => {
          const abort = new AbortController();
          give = () => abort.abort();
          const requestedSchema = { type: 'object' as const, properties: { value: { type: 'boolean' as const } } };
          await ctx.mcpReq
            .elicitInput({ message: 'Still there?', requestedSchema }, { signal: abort.signal })
            .catch(() => {});
          made += 1;
          ring();
          return says(`made ${made}`);
        }),
    });
    const call = on.client.callTool({ name: 'hasty' });
    await on.person.whenAsked(1);
    await until(() => made === 1 && on.inbox.list().length === 0);
    // On 2025-11-25 the host is told that the question was taken back; on 2026-07-28 it has to come back first.
    if (host === '2026-07-28') tookBack();
    expect(textOf(await call)).toBe('made 1');
  });

  it('a host is told that a call is over which was stopped on the desk', async () => {
    const { serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {}, atDesk: () => {} });
    const call = on.client.callTool(make);
    await until(() => on.inbox.list().length === 1);
    on.connection()!.cancel(on.inbox.list()[0]!.call!.id);
    expect(await call).toMatchObject({ isError: true, ...says(`The person stopped this call. ${inDoubt}`) });
  });
});

it('the desk opens again for a question that came when its page was closed already, and once for several', async () => {
  const { serve } = asking(2);
  const clock = handClock();
  const host = '2025-11-25';
  await using on = await stage({ host, upstream: host, serve, clock, capabilities: {}, atDesk: () => {} });
  const calls = [on.client.callTool(make), on.client.callTool(make)];
  await untilAfterRoots(clock, () => on.inbox.list().length === 2);
  const first = on.inbox.list();
  await answerAll(on.inbox);
  await until(() => on.inbox.list().length === 2 && on.inbox.list().every(each => !first.includes(each)));
  expect(on.opened).toHaveLength(1);
  await untilArmed(clock, 15_000);
  clock.move(15_000);
  await until(() => on.opened.length === 2);
  // Nobody waits for another look.
  expect(clock.left.filter(left => left <= 15_000)).toEqual([]);
  clock.move(15_000);
  expect(on.opened).toHaveLength(2);
  await answerAll(on.inbox);
  expect((await Promise.all(calls)).map(textOf).sort()).toEqual(['made 1', 'made 2']);
});

it('a call waits for a server that the person is starting again, and does not start it once more', async () => {
  const { serve } = asking();
  const host = '2025-11-25';
  await using on = await stage({ host, upstream: host, serve, capabilities: {}, atDesk: answerAll });
  await on.client.callTool(make);
  const connection = on.connection()!;
  let starts = 0;
  const called = new Promise<object>(resolve => {
    connection.subscribe(event => {
      if (event.type === 'state' && event.state === 'starting' && ++starts === 1) resolve(on.client.callTool(make));
    });
  });
  await connection.restart();
  await until(() => on.inbox.list().length === 1);
  await answerAll(on.inbox);
  expect(textOf(await called)).toBe('made 2');
  expect(starts).toBe(1);
});

it('a request for the host’s model is taken back with its call', async () => {
  let refused: unknown;
  await using on = await stage({
    host: '2025-11-25',
    upstream: '2025-11-25',
    capabilities: { sampling: {} },
    answers: ['never'],
    serve: (_, server) =>
      server.registerTool('think', {}, async ctx => {
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
        refused = await ctx.mcpReq.requestSampling({ messages, maxTokens: 10 }).then(
          () => reply(''),
          error => error,
        );
        ring();
        return says('over');
      }),
  });
  const abort = new AbortController();
  const call = on.client.callTool({ name: 'think' }, { signal: abort.signal });
  await on.person.whenAsked(1);
  abort.abort();
  await expect(call).rejects.toThrow();
  await until(() => refused instanceof Error);
});

describe('the calls of a server that is closed', () => {
  function callsOf() {
    const clock = handClock();
    const inbox = new Inbox();
    const unclaimed: string[] = [];
    const cancelled: string[] = [];
    const calls = new UpstreamCalls({
      inbox,
      server: 'a server',
      unclaimed: ({ id }) => void unclaimed.push(id),
      newId: () => 'call-1',
      run: () => {},
      cancel: id => void cancelled.push(id),
      tellWait: () => {},
      digest: () => 'the same',
      clock,
      unclaimedMs: 900_000,
    });
    /** The server asks something that names no call. */
    const asks = (id: string): void => {
      const asker = { id: 'a server', name: 'S', origin: 'node s', era: '2025-11-25' } as const;
      void inbox.ask({ kind: 'form', id, asker, askedAt: 0, message: 'Sure?', fields: [] });
    };
    return { calls, clock, unclaimed, cancelled, asks };
  }

  it('the calls of a server that is closed are told of no more questions: those are of whoever has its place', () => {
    const { calls, unclaimed, asks } = callsOf();
    asks('before');
    calls.close();
    asks('after');
    expect(unclaimed).toEqual(['before']);
  });

  it('a call that ended while nobody waited is kept as long from its end, and then forgotten', () => {
    const { calls, clock, cancelled } = callsOf();
    const made = calls.begin({ kind: 'tool', name: 'make' });
    const leave = made.join('a host', () => {});
    made.sendAway();
    leave();
    clock.move(899_999);
    made.over({ how: 'completed', result: {} });
    clock.move(899_999);
    expect(calls.begin({ kind: 'tool', name: 'make' })).toBe(made);
    clock.move(1);
    expect([calls.size, clock.waiting, cancelled]).toEqual([0, 0, []]);
  });

  it('the calls of a server that is closed leave no timer behind', () => {
    const { calls, clock, cancelled } = callsOf();
    calls.begin({ kind: 'tool', name: 'make' }).join('a host', () => {})();
    expect(clock.waiting).toBe(1);
    calls.close();
    expect([clock.waiting, cancelled]).toEqual([0, ['call-1']]);
  });
});
