/** A person who takes long over a question that their host shows, and one who never answers it. */
import type { Inbox } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import type { Era, Scripted } from '@midcall/testing';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { handClock } from '../host/clock.ts';
import { connectHost, httpStage } from './http-stage.ts';
import { stage, textOf } from './stage.ts';
import { ring, ringing, until, untilAfterRoots, untilArmed } from './until.ts';

const minutes = 60_000;
const yes = { action: 'accept', content: { value: true } } as const;

/** A server whose tool asks once, and the answers that it got. */
function asksOnce() {
  const heard: string[] = [];
  const serve = (_: Midcall, server: McpServer): void => {
    server.registerTool('ask', {}, async ctx => {
      const requestedSchema = { type: 'object' as const, properties: { value: { type: 'boolean' as const } } };
      const asked = { message: 'Overwrite it?', requestedSchema };
      const options = { timeout: 2 ** 31 - 1, signal: ctx.mcpReq.signal };
      const action = await ctx.mcpReq.elicitInput(asked, options).then(
        answer => answer.action,
        () => 'stopped',
      );
      heard.push(action);
      ring();
      return { content: [{ type: 'text', text: action }] };
    });
  };
  return { serve, heard };
}

/** A host of one revision, whose person answers as `answer` says, over standard input and output or over HTTP. */
async function stageOf(over: string, host: Era, answer: (clock: ReturnType<typeof handClock>) => Promise<typeof yes>) {
  const clock = handClock();
  const { serve, heard } = asksOnce();
  const common = { upstream: '2025-11-25', serve, atDesk: (inbox: Inbox) => void atDesk.push(inbox) } as const;
  const atDesk: Inbox[] = [];
  const answers: readonly Scripted[] = [() => answer(clock)];
  let isOver = false;
  const ended = async (call: Promise<object>): Promise<string> => {
    const text = call
      .then(textOf, (error: Error) => error.message)
      .finally(() => {
        isOver = true;
        ring();
      });
    await untilAfterRoots(clock, () => isOver);
    return text;
  };
  if (over === 'stdio') {
    const on = await stage({ host, clock, answers, ...common });
    const end = async () => on[Symbol.asyncDispose]();
    return { call: () => ended(on.client.callTool({ name: 'ask' })), heard, atDesk, [Symbol.asyncDispose]: end };
  }
  const on = await httpStage({ ...common, options: { clock: ringing(clock), suspectBelowMs: 0 } });
  const kind = host === '2025-11-25' ? 'SDK 2, 2025-11-25' : 'SDK 2, 2026-07-28';
  const client = await connectHost(kind, on.url, { capabilities: { elicitation: { form: {} } }, answers });
  const end = async () => {
    await client.close();
    await on[Symbol.asyncDispose]();
  };
  return { call: () => ended(client.call('ask')), heard, atDesk, [Symbol.asyncDispose]: end };
}

/** A time later, once the question waits for its host for an hour. */
const later = async (clock: ReturnType<typeof handClock>, ms: number): Promise<typeof yes> => {
  await untilArmed(clock, 60 * minutes);
  clock.move(ms);
  return yes;
};

describe.each(['stdio', 'HTTP'])('over %s', over => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'forward-B7: the answer of a host of %s counts after twenty minutes, and the call goes on',
    async host => {
      await using on = await stageOf(over, host, clock => later(clock, 20 * minutes));
      expect(await on.call()).toBe('accept');
    },
  );

  it('forward-B7: the call of a host of 2026-07-28 that comes back after more than an hour has been stopped, and the error says so', async () => {
    await using on = await stageOf(over, '2026-07-28', clock => later(clock, 60 * minutes));
    expect(await on.call()).toContain('its question got no answer within 60 minutes');
    await until(() => on.heard.length === 1);
    expect(on.heard).toEqual(['stopped']);
  });
});

it('forward-B7: what a host of 2025-11-25 has not answered within an hour is asked at the desk', async () => {
  await using on = await stageOf('stdio', '2025-11-25', async clock => {
    await later(clock, 60 * minutes);
    await until(() => on.atDesk.length === 1);
    const [inbox] = on.atDesk;
    await inbox!.reply(inbox!.list()[0]!.id, yes, 'web');
    return yes;
  });
  expect(await on.call()).toBe('accept');
  expect(on.atDesk).toHaveLength(1);
});
