/** `call.elicit` over both wires and both carriers: one handler, one meaning. */

import { type MidcallOptions, midcall } from '@midcall/server';
import { connectPair, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../../../packages/server/src/request/call.ts';
import { corners } from '../../fixtures/corners.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

describe.each(corners)('%s over %s', (era, carrier) => {
  /** One tool, `act`, with this handler; answers what it said. */
  async function act(
    handler: (call: Call, args: { n: number }) => Promise<string>,
    answers: readonly Scripted[],
    options: MidcallOptions = {},
    annotations = {},
  ) {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, ...options });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.object({ n: z.number() }), annotations }, async (args, call) =>
        says(await handler(call, args)),
      );
      return server;
    };
    const person = scriptedPerson(answers);
    await using pair = await connectPair(factory, { era, carrier, person });
    const result = await pair.client.callTool({ name: 'act', arguments: { n: 7 } });
    return {
      text: (result.content[0] as { text: string }).text,
      isError: result.isError ?? false,
      asked: person.asked,
      frames: pair.frames,
    };
  }

  const pick = async (call: Call) => {
    const answer = await call.elicit({
      message: 'Which?',
      form: { type: 'object', properties: { id: { type: 'string', enum: ['a', 'b'] } }, required: ['id'] },
    });
    if (answer.action !== 'accept') return `${answer.action}:${'reason' in answer ? answer.reason : ''}`;
    return `picked ${(answer.content as { id: string }).id}`;
  };

  it('a handler is given the accepted content', async () => {
    const { text, asked } = await act(pick, [{ action: 'accept', content: { id: 'b' } }]);
    expect(text).toBe('picked b');
    expect(asked[0]?.params).toMatchObject({ message: 'Which?', requestedSchema: { required: ['id'] } });
  });

  it('elicit-40: a handler is told decline and dismissal apart', async () => {
    expect((await act(pick, [{ action: 'decline' }])).text).toBe('decline:');
    expect((await act(pick, [{ action: 'cancel' }])).text).toBe('cancel:dismissed');
  });

  it('elicit-form-30: a bad answer is asked again with the reason, twice, and then is invalid', async () => {
    const bad = { action: 'accept', content: { id: 'z' } };
    const { text, asked } = await act(pick, [bad, { action: 'accept' }, { action: 'accept', content: { id: 'a' } }]);
    expect(text).toBe('picked a');
    expect(asked.map(each => String(each.params['message']).split('\n')[0])).toEqual(['Which?', 'Which?', 'Which?']);
    expect(String(asked[1]?.params['message'])).toContain('The last answer did not fit');
    expect((await act(pick, [bad, bad, bad])).text).toBe('cancel:invalid');
  });

  it('a step runs once, and what follows the answer runs once', async () => {
    const ran: string[] = [];
    const { text } = await act(
      async call => {
        const found = await call.step('find', () => ran.push('find'));
        const answer = await call.elicit({ message: 'Go?', form: Boolean });
        await call.step('delete', () => ran.push('delete'));
        return `${found} ${answer.action}`;
      },
      [{ action: 'accept', content: { value: true } }],
    );
    expect(text).toBe('1 accept');
    expect(ran).toEqual(['find', 'delete']);
  });

  it('an error that ends a call after a step says that it was done', async () => {
    const { text, isError } = await act(async call => {
      await call.step('charge', () => 1);
      await call.elicit({ message: 'Go on?', form: Boolean, details: 'long '.repeat(5_000), required: true });
      return 'never';
    }, []);
    expect(isError).toBe(true);
    expect(text).toMatch(/no enabled channel can give one that counts.* Done: charge\. Find out what took effect/u);
  });

  it('a mistake of the author that ends a call is reported once, and the client is told what is in doubt', async () => {
    const errors: unknown[] = [];
    const handler = async (call: Call) => {
      await call.step('charge', () => 1n);
      return 'never';
    };
    const { text, isError } = await act(handler, [], { onError: error => void errors.push(error) });
    expect(isError).toBe(true);
    expect(text).toMatch(/No step of it is done\. In doubt: charge\. Find out what took effect/u);
    expect(errors).toEqual([expect.objectContaining({ code: 'step/not-json' })]);
  });

  it('parallel questions go in one round', async () => {
    const { text, frames } = await act(
      async call => {
        const both = await Promise.all([
          call.elicit({ message: 'One?', form: Boolean, key: 'one' }),
          call.elicit({ message: 'Two?', form: Boolean, key: 'two' }),
        ]);
        return both.map(each => each.action).join();
      },
      [{ action: 'accept', content: { value: true } }, { action: 'decline' }],
    );
    expect(text.split(',').sort()).toEqual(['accept', 'decline']);
    if (era === '2026-07-28') {
      const results = frames.map(frame => frame.message['result'] as { inputRequests?: object } | undefined);
      const round = results.find(each => each?.inputRequests !== undefined);
      expect(Object.keys(round?.inputRequests ?? {})).toEqual(['one', 'two']);
    }
  });

  it('judge-A3: a decline stands when the same question is put again', async () => {
    const { text, asked } = await act(async call => `${await pick(call)} ${await pick(call)}`, [{ action: 'decline' }]);
    expect(text).toBe('decline: decline:');
    expect(asked).toHaveLength(1);
  });

  it('judge-A4: a question dismissed twice is not put a third time', async () => {
    const { text, isError, asked } = await act(
      async call => {
        for (let n = 0; n < 5; n++) await pick(call).catch(() => {});
        return 'never';
      },
      [{ action: 'cancel' }, { action: 'cancel' }],
    );
    expect(isError).toBe(true);
    expect(text).toContain('asked twice and not accepted');
    expect(asked).toHaveLength(2);
  });

  it('a handler that never stops asking different questions of a client that cannot be asked is ended', async () => {
    const { text, isError } = await act(async call => {
      for (let n = 1; ; n++) await call.elicit({ message: `Question ${n}?`, form: Boolean, channels: [] });
    }, []);
    expect(isError).toBe(true);
    expect(text).toContain('1000 questions');
  });

  it('a call that has used its rounds ends with what was done and what is open', async () => {
    const accept = { action: 'accept', content: { value: true } };
    const ask30 = async (call: Call) => {
      await call.step('prepare', () => 1);
      for (let n = 1; n <= 30; n++) await call.elicit({ message: `Question ${n}?`, form: Boolean });
      return 'all asked';
    };
    const { text, isError, asked } = await act(ask30, Array(30).fill(accept));
    if (era === '2025-11-25') expect(text).toBe('all asked');
    else {
      expect(isError).toBe(true);
      expect(asked).toHaveLength(9);
      expect(text).toContain("Still open: 'Question 10?'");
      expect(text).toContain('Done: prepare. Find out what took effect');
    }
  });

  it('a fallback is taken only where nothing can be destroyed', async () => {
    const handler = async (call: Call) => {
      const answer = await call.elicit({
        message: 'Colour?',
        form: ['red', 'green'],
        fallback: 'red' as never,
        channels: [],
      });
      return answer.action === 'accept' ? `${answer.content} by ${answer.by.channel}` : answer.action;
    };
    expect((await act(handler, [], {}, { readOnlyHint: true })).text).toBe('red by fallback');
    expect((await act(handler, [], {}, {})).text).toContain('declare readOnlyHint: true');
  });
});
