/** Sampling as a client sees it on the wire, and what a server does with the replies, in both revisions. */

import { type SamplingTool, samplingTool, textOf } from '@midcall/core/sampling';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { connectPair, eras, type Frame, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { badBlocks } from '../../sampling/bad-blocks.ts';
import { wireClient } from '../wire-client.ts';

type Params = Readonly<Record<string, unknown>>;
interface Leg {
  /** The request as it crossed: with `id` and `jsonrpc` on 2025-11-25, without on 2026-07-28. */
  readonly message: Params;
  readonly params: Params & {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly Params[];
    readonly toolChoice?: { readonly mode: string };
  };
}

const blocks = (content: unknown) => [content].flat() as readonly Record<string, unknown>[];
const text = (value: string) => ({ type: 'text', text: value }) as const;
const hello = { messages: [{ role: 'user', content: text('Hello') }], maxTokens: 100 } as const;
const use = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });
const uses = (...all: readonly object[]) => ({
  role: 'assistant',
  content: all,
  model: 'stub',
  stopReason: 'toolUse',
});
const reply = (value: string, more: object = {}) => ({
  role: 'assistant',
  content: text(value),
  model: 'stub',
  stopReason: 'endTurn',
  ...more,
});
const codeOf = (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`;

describe.each(eras)('%s', era => {
  async function act(
    handler: (call: Call) => Promise<string>,
    answers: readonly Scripted[],
    capabilities: object = { sampling: { tools: {} } },
    options: MidcallOptions = {},
  ) {
    const warnings: string[] = [];
    const events: AuditEvent[] = [];
    const mid = midcall({
      warn: message => void warnings.push(message),
      audit: event => void events.push(event),
      sampling: { askWhereDeprecated: true },
      ...options,
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => ({ content: [text(await handler(call))] }));
      return server;
    };
    const person = scriptedPerson(answers);
    await using pair = await connectPair(factory, { era, person, capabilities, maxRounds: 40 });
    const before = (await pair.client.listTools()).tools.map(tool => tool.name);
    const result = await pair.client.callTool({ name: 'act' });
    const after = (await pair.client.listTools()).tools.map(tool => tool.name);
    const { frames } = pair;
    const said = (result.content[0] as { text: string }).text;
    return { said, legs: legsOf(frames), frames, asked: person.asked, warnings, events, listed: [before, after] };
  }

  function legsOf(frames: readonly Frame[]): Leg[] {
    const sent = frames.filter(frame => frame.from === 'server').map(frame => frame.message);
    if (era === '2025-11-25')
      return sent
        .filter(message => message['method'] === 'sampling/createMessage')
        .map(message => ({ message, params: message['params'] as Leg['params'] }));
    return sent.flatMap(message => {
      const { inputRequests = {} } = (message['result'] ?? {}) as { inputRequests?: Record<string, Params> };
      return Object.values(inputRequests)
        .filter(request => request['method'] === 'sampling/createMessage')
        .map(request => ({ message: request, params: request['params'] as Leg['params'] }));
    });
  }

  describe('a tool loop', () => {
    const ran: string[] = [];
    let run: Awaited<ReturnType<typeof act>>;
    /** Opens when both slow tools have begun; without concurrency neither ends. */
    let begun = 0;
    let open = (): void => {};
    const both = new Promise<void>(resolve => {
      open = resolve;
    });
    const tool = (name: string, work: (input: { n: number }) => string | Promise<string>): SamplingTool =>
      samplingTool({
        name,
        description: `It is ${name}.`,
        input: z.object({ n: z.number() }),
        async run(input, { id }) {
          ran.push(`${name} ${id}`);
          return work(input);
        },
      });
    const slow = async ({ n }: { n: number }) => {
      begun += 1;
      if (begun === 2) open();
      await both;
      return `slow ${n}`;
    };
    const tools = [
      tool('slow', slow),
      tool('fails', () => {
        throw new Error('it is broken.');
      }),
    ];
    const marked = { ...use('1', 'slow', { n: 1 }), _meta: { 'x/cache': { key: [1, 'é'] } } };
    const first = [marked, use('2', 'slow', { n: 2 })];

    beforeAll(async () => {
      run = await act(
        async call => {
          const { result, iterations } = await call.sampleWithTools({ ...hello, tools, maxIterations: 4 });
          return `${textOf(result)} after ${iterations}`;
        },
        [uses(...first), uses(use('3', 'fails', { n: 3 })), uses(use('4', 'slow', { n: 4 })), reply('Done.')],
      );
    });

    it('sampling-06: a tool loop happens before the result of its own call', () => {
      const at = (wanted: (message: Params) => boolean) =>
        run.frames.map(({ message }, index) => (wanted(message) ? index : -1)).filter(index => index >= 0);
      const asked = at(message => /"sampling\/createMessage"/.test(JSON.stringify(message)));
      const called = at(message => message['method'] === 'tools/call')[0]!;
      const ended = at(message => JSON.stringify(message).includes('Done. after 4'))[0]!;
      expect(asked).toHaveLength(4);
      expect(asked.every(index => index > called && index < ended)).toBe(true);
    });

    it('sampling-05, sampling-25, sampling-26: a tool loop asks with messages and maxTokens, as a request or inside input_required', () => {
      for (const { message, params } of run.legs) {
        expect(params.maxTokens).toBe(100);
        expect(Array.isArray(params.messages)).toBe(true);
        if (era === '2025-11-25') expect(message).toMatchObject({ jsonrpc: '2.0', id: expect.anything() });
        else expect(Object.keys(message).sort()).toEqual(['method', 'params']);
      }
      if (era === '2026-07-28')
        expect(run.frames.filter(({ message }) => JSON.stringify(message).includes('"input_required"'))).toHaveLength(
          4,
        );
      expect(run.said).toBe('Done. after 4');
    });

    it('sampling-12, sampling-33: a tool loop offers tools as an array of names, descriptions and object schemas', () => {
      for (const { params } of run.legs)
        expect(params.tools).toEqual(
          ['slow', 'fails'].map(name => ({
            name,
            description: `It is ${name}.`,
            inputSchema: expect.objectContaining({ type: 'object', required: ['n'] }),
          })),
        );
    });

    it('sampling-13: a tool loop offers tools that are none of the server’s own', () => {
      expect(run.listed).toEqual([['act'], ['act']]);
    });

    it('sampling-31, sampling-36, sampling-49: a tool loop runs each tool once, in the server, side by side, before the next request', () => {
      expect(ran.slice(0, 2).sort()).toEqual(['slow 1', 'slow 2']);
      expect(ran.slice(2)).toEqual(['fails 3', 'slow 4']);
      expect(blocks(run.legs[1]!.params.messages.at(-1)!.content)).toHaveLength(2);
    });

    it('sampling-37, sampling-98: a tool loop goes on with the history, the tool uses, and a user message of nothing but their results', () => {
      let history: readonly unknown[] = hello.messages;
      const replies = [first, [use('3', 'fails', { n: 3 })], [use('4', 'slow', { n: 4 })]];
      for (const [index, asked] of replies.entries()) {
        const { messages } = run.legs[index + 1]!.params;
        expect(messages.slice(0, history.length)).toEqual(history);
        expect(messages.slice(history.length)).toEqual([
          { role: 'assistant', content: asked },
          {
            role: 'user',
            content: asked.map(({ id }) => expect.objectContaining({ type: 'tool_result', toolUseId: id })),
          },
        ]);
        history = messages;
      }
    });

    it('sampling-44, sampling-46, sampling-47, sampling-52, sampling-104: every user message is all results or none, each for a use right before it', () => {
      for (const { messages } of run.legs.map(leg => leg.params))
        for (const [index, { role, content }] of messages.entries()) {
          const results = blocks(content).filter(block => block['type'] === 'tool_result');
          const before = blocks(messages[index - 1]?.content ?? []).filter(block => block['type'] === 'tool_use');
          const here = blocks(content).filter(block => block['type'] === 'tool_use');
          expect(results.length === 0 || results.length === blocks(content).length).toBe(true);
          expect(results.map(block => block['toolUseId'])).toEqual(before.map(block => block['id']));
          if (results.length > 0) expect(role).toBe('user');
          if (here.length > 0) expect([role, index < messages.length - 1]).toEqual(['assistant', true]);
        }
    });

    it('sampling-38: a tool loop is ready for further tool uses', () => {
      expect(run.legs).toHaveLength(4);
      expect(run.said).toBe('Done. after 4');
    });

    it('sampling-39, sampling-40: a tool loop switches tools off in the last request it may send', () => {
      expect(run.legs.map(leg => leg.params.toolChoice)).toEqual([undefined, undefined, undefined, { mode: 'none' }]);
    });

    it('sampling-41: a tool loop gives results as arrays of blocks', () => {
      const results = blocks(run.legs[1]!.params.messages.at(-1)!.content);
      expect(results).toEqual([
        { type: 'tool_result', toolUseId: '1', content: [text('slow 1')] },
        { type: 'tool_result', toolUseId: '2', content: [text('slow 2')] },
      ]);
    });

    it('sampling-42: a tool loop offers the same tools in every request', () => {
      expect(new Set(run.legs.map(leg => JSON.stringify(leg.params.tools))).size).toBe(1);
    });

    it('sampling-105: a tool loop tells of a tool that failed, and goes on', () => {
      expect(blocks(run.legs[2]!.params.messages.at(-1)!.content)).toEqual([
        { type: 'tool_result', toolUseId: '3', isError: true, content: [text('The tool fails failed: it is broken.')] },
      ]);
    });

    it('sampling-107: a tool loop sends _meta of a tool use back as it came', () => {
      for (const { params } of run.legs.slice(1))
        expect(JSON.stringify(blocks(params.messages[1]!.content)[0]!['_meta'])).toBe(JSON.stringify(marked._meta));
    });
  });

  it('sampling-15, sampling-18: a server sends tools only where the client declares them', async () => {
    const tool = samplingTool({ name: 't', description: '', input: z.object({}), run: () => '' });
    const loop = (call: Call) => call.sampleWithTools({ ...hello, tools: [tool] }).then(() => 'done', codeOf);
    const offered = (call: Call) => call.sample({ ...hello, tools: [tool.definition] }).then(() => 'done', codeOf);
    const chosen = (call: Call) => call.sample({ ...hello, toolChoice: { mode: 'auto' } }).then(() => 'done', codeOf);
    const plain = (call: Call) => call.sample(hello).then(() => 'done', codeOf);
    for (const handler of [loop, offered, chosen]) {
      const refused = await act(handler, [], { sampling: {} });
      expect(refused.said).toMatch(/^sampling\/unavailable: .*does not declare sampling\.tools/);
      expect([refused.legs, refused.asked]).toEqual([[], []]);
      const taken = await act(handler, [reply('Hi.')], { sampling: { tools: {} } });
      expect([taken.said, taken.legs.length]).toEqual(['done', 1]);
    }
    const { said, legs } = await act(plain, [reply('Hi.')], { sampling: {} });
    expect([said, legs.length]).toEqual(['done', 1]);
    const none = await act(plain, [], {});
    expect([none.said.startsWith('sampling/unavailable'), none.legs]).toEqual([true, []]);
  });

  it.each([{}, { context: {} }])(
    'sampling-20, sampling-21, sampling-23, sampling-24: a server never sends includeContext, and warns an author who sets it; client declares %j',
    async declared => {
      const tool = samplingTool({ name: 't', description: '', input: z.object({}), run: () => '' });
      for (const includeContext of [undefined, 'none', 'thisServer', 'allServers']) {
        const { legs, warnings } = await act(
          async call => {
            const params = { ...hello, ...(includeContext && { includeContext }) };
            await call.sample(params);
            await call.sampleWithTools({ ...params, tools: [tool] });
            return '';
          },
          [reply('1'), reply('2')],
          { sampling: { tools: {}, ...declared } },
        );
        expect(legs.map(leg => 'includeContext' in leg.params)).toEqual([false, false]);
        const wanted = includeContext === 'thisServer' || includeContext === 'allServers';
        expect(warnings.filter(each => each.includes('includeContext is deprecated'))).toHaveLength(wanted ? 1 : 0);
      }
    },
  );

  it('sampling-02, sampling-43, sampling-60, sampling-62, sampling-63, sampling-64: a server sends text, image and audio, one block or several', async () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
    const audio = { type: 'audio', data: 'aG8=', mimeType: 'audio/wav' } as const;
    const messages = [text('?'), image, audio, [text('?'), image, audio]].map(content => ({
      role: 'user' as const,
      content,
    }));
    const { said, asked } = await act(
      async call => textOf(await call.sample({ ...hello, messages })),
      [reply('Seen.')],
    );
    expect(said).toBe('Seen.');
    expect(asked[0]?.params['messages']).toEqual(messages);
  });

  it('sampling-66, sampling-70, sampling-75, sampling-79, sampling-81, sampling-82, sampling-83: a server sends what the author set, as the author set it', async () => {
    const params = {
      ...hello,
      systemPrompt: 'Be brief.',
      modelPreferences: { hints: [{ name: 'sonnet' }], costPriority: 0, speedPriority: 1, intelligencePriority: 0.5 },
      temperature: 1.7,
      stopSequences: ['END'],
      metadata: { vendor: { a: 1 } },
    };
    const { legs } = await act(async call => textOf(await call.sample(params)), [reply('Hi.')]);
    expect(legs[0]?.params).toEqual(params);
  });

  it.each<[string, readonly object[]]>([
    [
      'sampling-44, sampling-45: text beside a result',
      [
        { role: 'user', content: text('?') },
        { role: 'assistant', content: use('a', 't') },
        { role: 'user', content: [text('!'), { type: 'tool_result', toolUseId: 'a', content: [] }] },
      ],
    ],
    [
      'sampling-46: a use nobody answers',
      [
        { role: 'user', content: text('?') },
        { role: 'assistant', content: use('a', 't') },
        { role: 'user', content: text('!') },
      ],
    ],
    [
      'sampling-47, sampling-48: one of two answered',
      [
        { role: 'user', content: text('?') },
        { role: 'assistant', content: [use('a', 't'), use('b', 't')] },
        { role: 'user', content: { type: 'tool_result', toolUseId: 'a', content: [] } },
      ],
    ],
    [
      'sampling-104: a result of no use',
      [{ role: 'user', content: { type: 'tool_result', toolUseId: 'a', content: [] } }],
    ],
    ['sampling-50: a third role', [{ role: 'system', content: text('Obey.') }]],
    ['sampling-59: no role', [{ content: text('?') }]],
    ['sampling-59: no content', [{ role: 'user' }]],
    ['sampling-94: an unknown block', [{ role: 'user', content: { type: 'video' } }]],
  ])('a server lets nothing leave that breaks a rule: %s', async (_, messages) => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const ask = (call: Call) => call.sample({ ...hello, tools, messages: messages as never }).then(() => '', codeOf);
    const { said, legs } = await act(ask, []);
    expect(said).toMatch(/^sampling\/invalid: /);
    expect(legs).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['sampling-51: not the assistant’s', reply('Hi.', { role: 'user' }), {}],
    ['sampling-54: no tool, though one is required', reply('Hi.'), { toolChoice: { mode: 'required' } }],
    ['sampling-55: a tool, though tools are off', uses(use('a', 't')), { toolChoice: { mode: 'none' } }],
    ['sampling-35: a tool use that is not marked', { ...uses(use('a', 't')), stopReason: 'endTurn' }, {}],
    ['sampling-34: one id twice', uses(use('a', 't'), use('a', 't')), {}],
    ['sampling-85: no model', { role: 'assistant', content: text('Hi.') }, {}],
    ['no message at all', {}, {}],
    ['a content that is none', reply('', { content: 7 }), {}],
    [
      'sampling-94: an image that is none',
      reply('', { content: { type: 'image', data: '?', mimeType: 'image/png' } }),
      {},
    ],
  ])('a server takes no reply that breaks a rule, whatever client sends it: %s', async (_, given, more) => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const mid = midcall({ warn: () => {}, sampling: { askWhereDeprecated: true } });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        const sampled = await call.sample({ ...hello, tools, ...more }).then(() => 'taken', codeOf);
        return { content: [text(sampled)] };
      });
      return server;
    };
    const capabilities = { sampling: { tools: {} } };
    await using client = await wireClient(era, factory, { capabilities, answer: () => given as Params });
    expect(await client.act()).toMatch(/^sampling\/invalid: The reply breaks the rules\./);
    expect(client.questions).toHaveLength(1);
  });

  it('sampling-94: a server takes no reply with a block that is none, whatever client sends it, in a loop of tools either', async () => {
    const tools = [samplingTool({ name: 't', description: 'T.', input: z.object({}), run: () => 'ran' })];
    const mid = midcall({ warn: () => {}, sampling: { askWhereDeprecated: true } });
    const outcomes = new Set<string>();
    for (const [wrong, block] of badBlocks) {
      for (const [loop, content] of [
        [false, block],
        [true, [text('Before.'), block]],
      ] as const) {
        const factory = () => {
          const server = new McpServer({ name: 'test', version: '1.0.0' });
          mid.tool(server, 'act', {}, async (_, call) => {
            const sampled = loop ? call.sampleWithTools({ ...hello, tools }) : call.sample(hello);
            const outcome = await sampled.then(
              () => `taken: ${wrong}`,
              (error: { code: string }) => error.code,
            );
            return { content: [text(outcome)] };
          });
          return server;
        };
        const answer = () => reply('', { content }) as Params;
        await using client = await wireClient(era, factory, { capabilities: { sampling: { tools: {} } }, answer });
        outcomes.add(await client.act());
        expect(client.questions).toHaveLength(1);
      }
    }
    expect([...outcomes]).toEqual(['sampling/invalid']);
  });

  it('sampling-94: a server sends no message with a block that is none', async () => {
    for (const [wrong, block] of badBlocks) {
      for (const [role, content] of [
        ['user', block],
        ['assistant', [text('Before.'), block]],
      ] as const) {
        const messages = [{ role, content }, hello.messages[0]] as never;
        const ask = (call: Call) => call.sample({ ...hello, messages }).then(() => wrong, codeOf);
        const { said, legs } = await act(ask, []);
        expect(said).toMatch(/^sampling\/invalid: /);
        expect(legs).toEqual([]);
      }
    }
  });

  it('sampling-65, sampling-86, sampling-87: a server takes any model, any stop reason, and none', async () => {
    const modelPreferences = { hints: [{ name: 'a model nobody has' }] };
    for (const stopReason of ['endTurn', 'stopSequence', 'maxTokens', 'content_filter', undefined]) {
      const { stopReason: _, ...rest } = reply('Hi.', { model: 'another' });
      const { said } = await act(
        async call => {
          const result = await call.sample({ ...hello, modelPreferences });
          return JSON.stringify([result.model, result.stopReason ?? null]);
        },
        [{ ...rest, ...(stopReason !== undefined && { stopReason }) }],
      );
      expect(JSON.parse(said)).toEqual(['another', stopReason ?? null]);
    }
  });

  it('sampling-43: a server takes a reply of one block, and of several', async () => {
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    for (const content of [text('One.'), [text('One.'), text('Two.')]]) {
      const ask = async (call: Call) => JSON.stringify((await call.sample({ ...hello, tools })).content);
      expect(JSON.parse((await act(ask, [reply('', { content })])).said)).toEqual(content);
    }
  });

  it('sampling-01, sampling-04: the client’s model is reached with no key of the server’s; the operator’s own gives the same result', async () => {
    const ask = async (call: Call) => textOf(await call.sample(hello));
    expect((await act(ask, [reply('Same.')], { sampling: {} })).said).toBe('Same.');
    const model = {
      names: ['own'],
      tools: false,
      choose: () => ({ name: 'own', why: 'It is the only one.', leftOut: [] }),
      run: async () => ({
        result: reply('Same.') as never,
        usage: { inputTokens: 1, outputTokens: 1, estimated: false },
        notes: [],
      }),
    };
    const direct = await act(ask, [], {}, { sampling: { model } });
    expect([direct.said, direct.legs]).toEqual(['Same.', []]);
  });

  it('sampling-03: a server leaves sampling on 2026-07-28 out until the operator switches it on, and then warns', async () => {
    const ask = (call: Call) => call.sample(hello).then(textOf, codeOf);
    const off = await act(ask, [reply('Hi.')], undefined, { sampling: {} });
    const on = await act(ask, [reply('Hi.')]);
    const deprecated = (warnings: readonly string[]) => warnings.filter(each => each.includes('deprecated')).length;
    if (era === '2025-11-25') expect([off.said, on.said, deprecated(on.warnings)]).toEqual(['Hi.', 'Hi.', 0]);
    else {
      expect([off.said.startsWith('sampling/unavailable'), off.legs]).toEqual([true, []]);
      expect([on.said, deprecated(on.warnings)]).toEqual(['Hi.', 1]);
    }
  });

  it('sampling-97: no prompt, reply or tool argument is in an event, a warning or an error', async () => {
    const secret = 'canary-7531';
    const tool = samplingTool({ name: 't', description: '', input: z.object({ a: z.string() }), run: () => secret });
    const request = { ...hello, messages: [{ role: 'user', content: text(secret) }] as const, systemPrompt: secret };
    const runs: [(call: Call) => Promise<string>, Scripted[]][] = [
      [
        call => call.sampleWithTools({ ...request, tools: [tool] }).then(() => 'done', codeOf),
        [uses(use('a', 't', { a: secret })), reply(secret)],
      ],
      [call => call.sample(request).then(() => 'done', codeOf), [uses(use('a', 't', { a: secret }))]],
      [call => call.sample({ ...request, maxTokens: 0 }).then(() => 'done', codeOf), []],
    ];
    for (const [handler, answers] of runs) {
      const { said, warnings, events } = await act(handler, answers);
      expect(JSON.stringify([said, warnings, events])).not.toContain(secret);
    }
  });
});
