/**
 * The seam for channels. A channel that exists here alone, one object in the list of packages/server/src/questions/all.ts,
 * is chosen, asked, waited for, judged and withdrawn like those that ship; nothing else knows of it.
 */
import { type Call, midcall } from '@midcall/server';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AskChannel } from '../../../packages/server/src/questions/channel.ts';
import type { ApartAsk } from '../../../packages/server/src/questions/outgoing.ts';
import { putForm } from '../../../packages/server/src/questions/put-form.ts';
import type { Recording } from '../../../packages/server/src/questions/recording.ts';

/** The one of the test that runs. */
const { now } = vi.hoisted(() => ({ now: {} as { bell: AskChannel } }));
vi.mock('../../../packages/server/src/questions/all.ts', async original => {
  const { channels } = await original<typeof import('../../../packages/server/src/questions/all.ts')>();
  const belled: AskChannel = {
    name: 'bell' as 'native',
    onWhereNamed: false,
    reaches: (...given) => now.bell.reaches(...given),
    assurance: (...given) => now.bell.assurance(...given),
    put: (...given) => now.bell.put(...given),
  };
  return { channels: [...channels, belled] };
});

/** Somebody with a bell, who shouts the answer back. */
function bell() {
  const name = 'bell' as AskChannel['name'];
  const log: string[] = [];
  let ring: () => void = () => {};
  const rung = new Promise<void>(resolve => {
    ring = resolve;
  });
  let takeBack: () => void = () => {};
  const withdrawn = new Promise<void>(resolve => {
    takeBack = resolve;
  });
  let shout: (content: object) => void = () => {};
  const shouted = new Promise<Recording>(resolve => {
    shout = content =>
      resolve({
        kind: 'answered',
        channel: name,
        assurance: 'out-of-band',
        got: { action: 'accept', content } as never,
        ms: 7,
      });
  });
  let heard: Recording | undefined;
  void shouted.then(recording => {
    heard = recording;
  });
  const channel: AskChannel = {
    name,
    onWhereNamed: false,
    reaches: () => true,
    assurance: () => 'out-of-band',
    put: (question, call) =>
      putForm(question, call, {
        channel: name,
        assurance: 'out-of-band',
        form: question.form,
        outgoing: (message): ApartAsk => ({
          to: 'apart',
          channel: name,
          timeoutMs: 60_000,
          askedAt: 0,
          dueAt: Number.MAX_SAFE_INTEGER,
          isHeld: true,
          sign: () => 'Waiting for the bell.',
          words: () => ({
            who: 'This call is waiting for the person, who answers by shouting and not through you.',
            reached: 'The bell was rung.',
            when: 'When they say that they are done',
            open: 'There is time',
            unfinished: 'Nobody has shouted.',
          }),
          async collect(ms, signal) {
            if (log.at(-1) !== `rung: ${message}`) log.push(`rung: ${message}`);
            ring();
            if (ms === 0 || heard) return heard;
            const stop = new Promise<undefined>(resolve =>
              signal?.addEventListener('abort', () => resolve(undefined), { once: true }),
            );
            return Promise.race([shouted, stop]);
          },
          async withdraw() {
            takeBack();
            return false;
          },
        }),
      }),
  };
  return { channel, log, rung, shout, withdrawn };
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()));
});

describe.each(pairings)('a channel of its own, %s over %s', (era, carrier) => {
  async function connect(capabilities: object, handler: (call: Call) => Promise<string>, answers: Scripted[] = []) {
    const mid = midcall({
      channels: ['native', 'bell' as 'native'],
      suspectBelowMs: 0,
      warn: () => {},
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'ask', {}, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
      return server;
    };
    const pair = await connectPair(factory, { era, carrier, capabilities, person: scriptedPerson(answers) });
    open.push(pair);
    const call = async (signal?: AbortSignal) =>
      (await pair.client.callTool({ name: 'ask' }, signal && { signal })).content;
    return { call };
  }

  const which = async (call: Call): Promise<string> => {
    const answer = await call.elicit({ message: 'Which?', form: ['red', 'green'], assurance: 'out-of-band' });
    return answer.action === 'accept' ? `${answer.content} ${JSON.stringify(answer.by)}` : answer.action;
  };

  it('a channel of its own is chosen for what it says of itself, and its answer is judged like any other', async () => {
    const { channel, log, rung, shout } = bell();
    now.bell = channel;
    const { call } = await connect({ elicitation: { form: {} } }, which);
    const result = call();
    await rung;
    shout({ value: 'green' });
    const by = { channel: 'bell', assurance: 'out-of-band', elapsedMs: 7 };
    expect(await result).toEqual([{ type: 'text', text: `green ${JSON.stringify(by)}` }]);
    expect(log).toEqual(['rung: Which?']);
  });

  it('a channel of its own is not asked where an earlier one reaches the person and is enough', async () => {
    const { channel, log } = bell();
    now.bell = channel;
    const ask = async (each: Call) => {
      const answer = await each.elicit({ message: 'Which?', form: ['red', 'green'] });
      return `${answer.action} ${answer.by.channel}`;
    };
    const { call } = await connect({ elicitation: { form: {} } }, ask, [
      { action: 'accept', content: { value: 'red' } },
    ]);
    expect(await call()).toEqual([{ type: 'text', text: 'accept native' }]);
    expect(log).toEqual([]);
  });

  it('a channel of its own is not asked where the question names others', async () => {
    const { channel, log } = bell();
    now.bell = channel;
    const { call } = await connect({}, async each => {
      const answer = await each.elicit({ message: 'Which?', form: ['red'], channels: ['native'] });
      return answer.action === 'cancel' ? answer.reason : answer.action;
    });
    expect(await call()).toEqual([{ type: 'text', text: 'unavailable' }]);
    expect(log).toEqual([]);
  });

  const takenBack = async (): Promise<void> => {
    const { channel, rung, withdrawn } = bell();
    now.bell = channel;
    const { call } = await connect({}, which);
    const client = new AbortController();
    const result = call(client.signal).catch(() => 'taken back');
    await rung;
    client.abort();
    expect(await result).toBe('taken back');
    await withdrawn;
  };
  // A client of 2026-07-28 has no way to say it between two rounds.
  if (era === '2025-11-25')
    it('a channel of its own is told to take the question back where the client takes back the call', takenBack);
});
