/** `call.sample` and `call.sampleWithTools` over both wires; row 000-15 (sampling and elicitation in one call). */

import type { MidcallError } from '@midcall/core/errors';
import { type SamplingTool, samplingTool, textOf } from '@midcall/core/sampling';
import { systemClock } from '@midcall/core/time';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Store } from '../../../packages/core/src/store/store.ts';
import { handClock } from '../../host/clock.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const reply = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'test',
  stopReason: 'endTurn',
});
const uses = (...calls: readonly { id: string; name: string; input: object }[]) => ({
  role: 'assistant',
  content: calls.map(call => ({ type: 'tool_use', ...call })),
  model: 'test',
  stopReason: 'toolUse',
});
const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 } as const;

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function act(
    handler: (call: Call) => Promise<string>,
    answers: readonly Scripted[],
    capabilities: object = { elicitation: {}, sampling: { tools: {} } },
    options: MidcallOptions = {},
  ) {
    const warnings: string[] = [];
    const mid = midcall({
      suspectBelowMs: 0,
      warn: text => void warnings.push(text),
      sampling: { askWhereDeprecated: true },
      ...options,
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => says(await handler(call)));
      return server;
    };
    const person = scriptedPerson(answers);
    await using pair = await connectPair(factory, { era, carrier, person, capabilities, maxRounds: 40 });
    const result = await pair.client.callTool({ name: 'act' });
    return {
      text: (result.content[0] as { text: string }).text,
      isError: result.isError ?? false,
      asked: person.asked,
      warnings,
    };
  }

  it('a sample gives the reply, and warns once where sampling is deprecated', async () => {
    const { text, asked, warnings } = await act(async call => textOf(await call.sample(hello)), [reply('Hi')]);
    expect(text).toBe('Hi');
    expect(asked[0]?.params).toMatchObject({ maxTokens: 100 });
    expect(asked[0]?.params).not.toHaveProperty('includeContext');
    expect(warnings.filter(each => each.includes('sampling is deprecated'))).toHaveLength(era === '2026-07-28' ? 1 : 0);
  });

  it('000-15: a call samples and elicits, and works once', async () => {
    let applied = 0;
    const { text, asked } = await act(
      async call => {
        const title = textOf(await call.sample(hello));
        const answer = await call.elicit({ message: `Rename to '${title}'?`, form: Boolean });
        if (answer.action !== 'accept' || !answer.content) return 'kept';
        return `renamed ${await call.step('rename', () => ++applied)}`;
      },
      [reply('Budget 2024'), { action: 'accept', content: { value: true } }],
    );
    expect(text).toBe('renamed 1');
    expect(asked.map(each => each.method)).toEqual(['sampling/createMessage', 'elicitation/create']);
  });

  const counting = (ran: string[]): readonly SamplingTool[] => [
    samplingTool({
      name: 'add',
      description: 'Adds.',
      input: z.object({ a: z.number(), b: z.number() }),
      run({ a, b }) {
        ran.push(`${a}+${b}`);
        return String(a + b);
      },
    }),
    samplingTool({
      name: 'fail',
      description: 'Fails.',
      input: z.object({}),
      run() {
        throw new Error('out of order');
      },
    }),
  ];

  it('a tool loop runs each tool once, also side by side or where it throws, and has no tools on its last request', async () => {
    const ran: string[] = [];
    const { text, asked } = await act(
      async call => {
        const { result, iterations } = await call.sampleWithTools({ ...hello, tools: counting(ran), maxIterations: 3 });
        return `${textOf(result)} after ${iterations}`;
      },
      [
        uses({ id: '1', name: 'add', input: { a: 1, b: 2 } }, { id: '2', name: 'fail', input: {} }),
        uses({ id: '3', name: 'add', input: { a: 3, b: 4 } }),
        reply('7'),
      ],
    );
    expect(text).toBe('7 after 3');
    expect(ran).toEqual(['1+2', '3+4']);
    const last = asked[2]?.params as {
      toolChoice: unknown;
      messages: { content: { type: string; isError?: boolean }[] }[];
    };
    expect(last.toolChoice).toEqual({ mode: 'none' });
    expect(last.messages[2]?.content.map(each => [each.type, each.isError ?? false])).toEqual([
      ['tool_result', false],
      ['tool_result', true],
    ]);
  });

  it('a sample that breaks the rules is refused before it is sent', async () => {
    const { text, isError, asked } = await act(async call => textOf(await call.sample({ ...hello, maxTokens: 0 })), []);
    expect(isError).toBe(true);
    expect(text).toContain('maxTokens');
    expect(asked).toHaveLength(0);
  });

  it('sampling-04: a sample is refused clearly where there is no model, and uses the operator’s where one is given', async () => {
    const ask = async (call: Call) => textOf(await call.sample(hello));
    expect((await act(ask, [], { elicitation: {} })).text).toContain('needs a language model');
    const model = {
      names: ['own'],
      tools: true,
      choose: () => ({ name: 'own', why: 'It is the only one.', leftOut: [] }),
      run: async () => ({
        result: reply('from the server') as never,
        usage: { inputTokens: 1, outputTokens: 1, estimated: false },
        notes: [],
      }),
    };
    expect((await act(ask, [], { elicitation: {} }, { sampling: { model } })).text).toBe('from the server');
  });

  const own = (tools: boolean, run: (signal: AbortSignal) => Promise<unknown>) => ({
    names: ['own'],
    tools,
    choose: () => ({ name: 'own', why: 'It is the only one.', leftOut: [] }),
    run: async (_request: unknown, { signal }: { signal: AbortSignal }) => ({
      result: (await run(signal)) as never,
      usage: { inputTokens: 1, outputTokens: 1, estimated: false },
      notes: [],
    }),
  });
  const codeOf = (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`;

  it('sampler-P1: a tool loop uses the operator’s model where the client’s takes no tools, and is refused where neither does', async () => {
    const loop = (call: Call) =>
      call.sampleWithTools({ ...hello, tools: counting([]) }).then(({ result }) => textOf(result), codeOf);
    const plain = { elicitation: {}, sampling: {} };
    const model = own(true, async () => reply('mine'));
    expect((await act(loop, [], plain, { sampling: { model, askWhereDeprecated: true } })).text).toBe('mine');
    const without = await act(loop, [], plain, {
      sampling: { model: { ...model, tools: false }, askWhereDeprecated: true },
    });
    expect(without.text).toMatch(
      /^sampling\/unavailable: .*does not declare sampling\.tools.*own model takes no tools/,
    );
    expect((await act(loop, [], plain)).text).toMatch(/^sampling\/unavailable: .*has no model of its own/);
  });

  it('sampler-P1: a 2026-07-28 client is asked for its model only where the operator allowed it', async () => {
    const ask = (call: Call) => call.sample(hello).then(textOf, codeOf);
    const { text, asked } = await act(ask, [reply('Hi')], undefined, { sampling: {} });
    if (era === '2025-11-25') expect(text).toBe('Hi');
    else {
      expect(text).toMatch(/^sampling\/unavailable: .*has not allowed asking/);
      expect(asked).toHaveLength(0);
    }
  });

  it('sampler-P2: a sample of the operator’s model ends when its time is up, and the model is told to stop', async () => {
    let stopped = false;
    const model = own(true, signal => {
      signal.addEventListener('abort', () => (stopped = true));
      return new Promise(() => {});
    });
    const after = (ms: number, fn: () => void) => {
      if (ms === 1234) queueMicrotask(fn);
      return () => {};
    };
    const ask = (call: Call) => call.sample({ ...hello, timeoutMs: 1234 }).then(textOf, codeOf);
    const { text } = await act(ask, [], { elicitation: {} }, { sampling: { model }, clock: { ...systemClock, after } });
    expect(text).toBe("sampling/unavailable: This server's own model did not reply in time.");
    expect(stopped).toBe(true);
  });

  it('sampler-P2: a sample of the client’s model ends when its time is up; past it on 2026-07-28 a reply does not count', async () => {
    let now = 1_000_000;
    const late = () => {
      now += 60_000;
      return era === '2025-11-25' ? ('never' as const) : reply('too late');
    };
    const after = (ms: number, fn: () => void) => {
      if (ms === 5_000) setImmediate(fn);
      return () => {};
    };
    const ask = (call: Call) => call.sample({ ...hello, timeoutMs: 5_000 }).then(textOf, codeOf);
    const { text } = await act(ask, [late], undefined, {
      sampling: { askWhereDeprecated: true },
      clock: { now: () => now, after },
    });
    expect(text).toBe('sampling/unavailable: The client did not reply in time.');
  });

  it('sampler-P2: the time limit of a loop is the time for its replies', async () => {
    let now = 1_000_000;
    const slow = (asked: unknown) => {
      now += 3_000;
      return asked === undefined ? reply('') : uses({ id: '1', name: 'add', input: { a: 1, b: 2 } });
    };
    const { text, asked } = await act(
      call => call.sampleWithTools({ ...hello, tools: counting([]), maxElapsedMs: 5_000 }).then(() => 'done', codeOf),
      [slow, slow, slow, slow],
      undefined,
      { sampling: { askWhereDeprecated: true }, clock: { ...systemClock, now: () => now } },
    );
    expect(text).toMatch(/^sampling\/(limit|unavailable): /);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('sampling-39, sampling-99; sampler-P3: a tool loop that would never end is ended, with no tools on its last request', async () => {
    const again = uses({ id: '1', name: 'add', input: { a: 1, b: 2 } });
    const script = (asked: { params: { toolChoice?: { mode?: string } } }) =>
      asked.params.toolChoice?.mode === 'none' ? reply('enough') : again;
    const { text, asked } = await act(
      async call => {
        const { result, iterations } = await call.sampleWithTools({ ...hello, tools: counting([]) });
        return `${textOf(result)} after ${iterations}`;
      },
      Array(12).fill(script as never),
    );
    expect(text).toBe(`enough after ${era === '2026-07-28' ? 9 : 10}`);
    expect(asked).toHaveLength(era === '2026-07-28' ? 9 : 10);
  });

  if (era === '2025-11-25')
    it('a refusal to sample is told as one', async () => {
      const refusal = () => Promise.reject(Object.assign(new Error('User rejected'), { code: -1 }));
      const { text } = await act(
        call => call.sample(hello).then(textOf, (error: { code: string }) => error.code),
        [refusal],
      );
      expect(text).toBe('sampling/refused');
    });

  if (era === '2025-11-25')
    it('a refusal to sample that came before anybody could have read the request is not called the person’s', async () => {
      const clock = handClock();
      const refusal = (afterMs: number) => async () => {
        clock.move(afterMs);
        throw Object.assign(new Error('User rejected sampling request'), { code: -1 });
      };
      const said = async (afterMs: number) => {
        const options = {
          suspectBelowMs: 250,
          clock,
        };
        const told = (call: Call) =>
          call.sample(hello).then(textOf, (error: MidcallError) => `${error.code}: ${error.message}`);
        return (await act(told, [refusal(afterMs) as never], undefined, options as never)).text;
      };
      for (const afterMs of [0, 249])
        expect(await said(afterMs)).toBe(
          'sampling/suspect: The client refused before anybody could have read the request, so it could not be told whether a ' +
            'person refused. Tell the person, who may know nothing of it, and do not try again by yourself.',
        );
      expect(await said(250)).toBe(
        'sampling/refused: The client says that the person refused to let the model be used.',
      );
    });

  it('the time of an answer is measured when it arrives, whatever the store and the sign-in cost after that', async () => {
    const clock = handClock();
    const store = memoryStore();
    const slow: Store = {
      ...store,
      get(key) {
        clock.move(1_000);
        return store.get(key);
      },
      set(...entry) {
        clock.move(1_000);
        return store.set(...entry);
      },
    };
    const principal = () => {
      clock.move(1_000);
      return { issuer: 'test', subject: 'ada' };
    };
    let leftAt = 0;
    const options = {
      store: slow,
      principal,
      suspectBelowMs: 250,
      clock,
    };
    const { text } = await act(
      async call => {
        const { action, by } = await call.elicit({ message: 'Sure?', form: Boolean });
        return JSON.stringify([action, by.suspect, by.elapsedMs]);
      },
      [
        () => {
          leftAt = clock.now();
          clock.move(100);
          return { action: 'decline' };
        },
      ],
      undefined,
      options as never,
    );
    expect(leftAt).toBeGreaterThan(0);
    expect(JSON.parse(text)).toEqual(['decline', 'too-fast', 100]);
  });
});
