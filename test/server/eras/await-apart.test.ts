/** A store, or an inbox, that cannot be read for a while: a call that waits for what a person answers apart from its client. */
import { MidcallError } from '@midcall/core/errors';
import { midcall } from '@midcall/server';
import { confirm, connect } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { awaitApart, timedOut } from '../../../packages/server/src/eras/await-apart.ts';
import type { ApartAsk } from '../../../packages/server/src/questions/outgoing.ts';
import { fromClient, type Recording, unanswered } from '../../../packages/server/src/questions/recording.ts';
import { fixture, textOf, told } from '../../connect/fixture.ts';
import { shortWaits } from '../../connect/short-waits.ts';
import { codeIn, visitor } from '../../connect/visitor.ts';
import { handClock } from '../../host/clock.ts';

const away = () => new MidcallError('store/unavailable', 'Redis cannot be reached.', { cause: new Error('REFUSED') });

/** A store in which the ends of pages cannot be read while it is told so. */
function failing() {
  const memory = memoryStore();
  const state = { isDown: true };
  const get = async (name: string) => {
    if (state.isDown && name.startsWith('page-result:')) throw away();
    return memory.get(name);
  };
  return { state, store: { ...memory, get } };
}

async function finish({ params }: { readonly params: Readonly<Record<string, unknown>> }): Promise<void> {
  const person = visitor(params['url'] as string);
  await person.get();
  await person.send({ do: 'code', code: codeIn(params['message'] as string) });
  await person.send({});
}

const ticketIn = (text: string): string => /ticket "([^"]+)"/.exec(text)?.[1] ?? '';

describe.each(eras)('%s', era => {
  it('a call goes on waiting for a page while its end cannot be read, and has the answer once it can', async () => {
    const { state, store } = failing();
    const ran: string[] = [];
    const made = await fixture({
      era,
      midcall: { holdMs: 5, clock: shortWaits(), store },
      handler: async call => {
        await call.step('prepare', () => ran.push('prepare'));
        const answer = await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
        await call.step('act', () => ran.push('act'));
        return told(answer);
      },
    });
    const first = await made.call();
    expect(first).toContain('call the tool "resume"');
    await finish(await made.whenAsked(1));
    const second = textOf(await made.callTool('resume', { ticket: ticketIn(first) }));
    expect(second).toContain('call the tool "resume"');
    state.isDown = false;
    const end = textOf(await made.callTool('resume', { ticket: ticketIn(second) }));
    expect(end).toMatch(/^accept \{"approved":true\} page /);
    expect([ran, made.asked.length]).toEqual([['prepare', 'act'], 1]);
    expect(made.warned.filter(each => each.includes('cannot be read'))).toEqual([
      "midcall: answers by the channel 'page' cannot be read, so the calls that wait for them go on waiting: Redis cannot be reached. REFUSED",
    ]);
  });
});

it('a page whose end could not be read is not said to be unfinished where nothing can go on with the call later', async () => {
  for (const [isDown, reason] of [
    [true, 'error'],
    [false, 'unfinished'],
  ] as const) {
    const { state, store } = failing();
    state.isDown = isDown;
    const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
    const mid = midcall({
      ...{ key: Buffer.alloc(32, 7), pages, store, suspectBelowMs: 0, warn: () => {} },
      ...{ maxRounds: 2, holdMs: 5, clock: shortWaits() },
    });
    const factory = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.prompt(server, 'write', {}, async (_, call) => {
        const answer = await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
        return answer.action === 'cancel' ? answer.reason : answer.action;
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept' }]);
    const pair = await connectPair(factory, {
      era: '2026-07-28',
      capabilities: { elicitation: { url: {} } },
      person,
    });
    onTestFinished(async () => {
      await pair.close();
      await pages.close();
    });
    const { messages } = await pair.client.getPrompt({ name: 'write' });
    expect(messages).toMatchObject([{ content: { text: reason } }]);
    const { params } = person.asked[0]! as { readonly params: { readonly url?: string } };
    expect(await (await fetch(params.url!)).text()).toContain('This is no longer needed');
  }
});

it('a prompt whose server stops while its page is open ends with what it has done, and the page is withdrawn', async () => {
  const pages = connect({ name: 'Notes', reach: { kind: 'here', browser: false } });
  let waits = (): void => {};
  const waiting = new Promise<void>(resolve => {
    waits = resolve;
  });
  const mid = midcall({
    ...{ key: Buffer.alloc(32, 7), pages, suspectBelowMs: 0, warn: () => {}, onError: () => {} },
    observe: ({ kind }) => kind === 'page' && waits(),
  });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.prompt(server, 'write', {}, async (_, call) => {
      await call.step('charge', () => 1);
      const answer = await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
      return answer.action;
    });
    return server;
  };
  const person = scriptedPerson([{ action: 'accept' }]);
  await using pair = await connectPair(factory, {
    era: '2025-11-25',
    capabilities: { elicitation: { url: {} } },
    person,
  });
  const result = pair.client.getPrompt({ name: 'write' }).then(
    () => 'returned',
    (error: Error) => error.message,
  );
  await waiting;
  await mid.stop({ within: 60_000 });
  expect(await result).toBe(
    "This server stopped while 'Sure?' was waiting for an answer, and took the question back. Done: charge. " +
      'Find out what took effect before calling again.',
  );
  expect(await mid.calls()).toEqual([]);
});

/** One question, whose reads end as given, the last of them again and again. */
function scene(...reads: readonly (Recording | Error | undefined)[]) {
  const clock = handClock();
  const client = new AbortController();
  const warned: string[] = [];
  let at = 0;
  const detail = {
    ...{ channel: 'page', askedAt: clock.now() - 40, dueAt: clock.now() + 60_000, sign: () => 'Waiting.' },
    async collect() {
      const read = reads[Math.min(at++, reads.length - 1)];
      if (read instanceof Error) throw read;
      return read;
    },
  } as unknown as ApartAsk;
  const request = { ctx: { mcpReq: { signal: client.signal } } };
  const config = { clock, warnOnce: (topic: string) => void warned.push(topic) };
  const outcome = awaitApart(
    [{ id: 'q', kind: 'url', identity: [], label: 'Sure?', detail }],
    60_000,
    request as never,
    config as never,
    new AbortController().signal,
  );
  /** Resolves once the question is to be looked for again. */
  const paused = async () => {
    while (clock.waiting === 0) await new Promise(resolve => setImmediate(resolve));
    return clock.left;
  };
  return { outcome, clock, client, warned, detail, paused, reads: () => at };
}

it('an answer that cannot be read is looked for again every ten seconds while its request is held', async () => {
  const yes = fromClient({ action: 'accept' }, 5);
  const { outcome, clock, warned, paused } = scene(away(), away(), away(), yes);
  expect(await paused()).toEqual([10_000]);
  clock.move(10_000);
  expect(await paused()).toEqual([10_000]);
  clock.move(10_000);
  expect(await outcome).toEqual(new Map([['q', yes]]));
  expect([clock.waiting, new Set(warned)]).toEqual([0, new Set(['page unread'])]);
});

it('a request is held for an answer that cannot be read no longer than for another, which is then no timeout', async () => {
  const { outcome, clock, detail, paused } = scene(away());
  for (let n = 0; n < 5; n++) {
    await paused();
    clock.move(10_000);
  }
  expect(await paused()).toEqual([10_000]);
  clock.move(10_000);
  expect(await outcome).toEqual(new Map());
  expect(timedOut(detail, clock.now())).toEqual(unanswered('error', 60_040));
  const readable = scene(away(), undefined);
  expect(await readable.outcome).toEqual(new Map());
  expect(timedOut(readable.detail, readable.clock.now())).toEqual(unanswered('timeout', 40));
});

it('an answer that still cannot be read ten minutes after its time was up is waited for no longer', async () => {
  const { outcome, clock, detail, paused } = scene(away());
  Object.assign(detail, { dueAt: clock.now() + 15_000 - 10 * 60_000 });
  await paused();
  clock.move(10_000);
  await paused();
  clock.move(10_000);
  expect(await outcome).toEqual(new Map([['q', unanswered('error', 20_040)]]));
  expect(clock.waiting).toBe(0);
});

it('nothing is looked for again once the client is gone, and anything else that fails ends the wait', async () => {
  const gone = scene(away());
  await gone.paused();
  gone.client.abort();
  expect(await gone.outcome).toEqual(new Map());
  expect([gone.clock.waiting, gone.reads()]).toEqual([0, 2]);
  await expect(scene(away(), new Error('odd')).outcome).rejects.toThrow('odd');
  await expect(scene(new Error('odd')).outcome).rejects.toThrow('odd');
});
