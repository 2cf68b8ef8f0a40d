/** Real AI SDK providers over real HTTP: what they put on the wire, and what comes back of it. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isMidcallError } from '@midcall/core/errors';
import { type LanguageModel, modelRouter } from '@midcall/core/models';
import {
  advanceToolLoop,
  answerToolUse,
  type SamplingRequest,
  samplingTool,
  startToolLoop,
  type ToolLoopStep,
  textOf,
} from '@midcall/core/sampling';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  anthropic,
  cutEvents,
  events,
  json,
  openai,
  type ProviderServer,
  providerServer,
  type Respond,
  stalledEvents,
} from './provider-server.ts';

const apiKey = 'sk-canary-0123456789';
const never = new AbortController().signal;
const hi: SamplingRequest = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }], maxTokens: 50 };
const weather = samplingTool({
  name: 'weather',
  description: 'The weather.',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `Sunny in ${city}.`,
});
const paris = { id: 'c1', name: 'weather', input: '{"city":"Paris"}' };
const london = { id: 'c2', name: 'weather', input: '{"city":"London"}' };

let server: ProviderServer;
beforeEach(async () => {
  server = await providerServer();
  return () => server[Symbol.asyncDispose]();
});

const openaiModel = (): LanguageModel =>
  createOpenAICompatible({ name: 'local', baseURL: `${server.url}/v1`, apiKey, includeUsage: true })('local-1');
const anthropicModel = (): LanguageModel => createAnthropic({ baseURL: `${server.url}/v1`, apiKey })('claude-test');

const router = (model: LanguageModel, stream = false) =>
  modelRouter({
    models: [{ model, name: 'house', cost: 0, speed: 0, intelligence: 0, skills: ['tools', 'image', 'audio'], stream }],
  });

/** The two APIs and the two ways to read them, as one table. */
const providers: {
  readonly name: string;
  readonly model: () => LanguageModel;
  readonly stream: boolean;
  readonly says: (text: string, stop?: 'end' | 'length') => Respond;
  readonly asks: (...uses: readonly (typeof paris)[]) => Respond;
}[] = [
  {
    name: 'OpenAI, whole replies',
    model: openaiModel,
    stream: false,
    says: (text, stop = 'end') => json(openai.reply(text, stop === 'end' ? 'stop' : 'length')),
    asks: (...uses) => json(openai.reply(null, 'tool_calls', uses)),
  },
  {
    name: 'OpenAI, streamed',
    model: openaiModel,
    stream: true,
    says: (text, stop = 'end') =>
      events(
        openai.delta({ role: 'assistant', content: '' }),
        ...[...text].map(content => openai.delta({ content })),
        openai.delta({}, stop === 'end' ? 'stop' : 'length'),
        openai.usage,
        openai.done,
      ),
    asks: (...uses) =>
      events(
        ...uses.map(({ id, name, input }, index) =>
          openai.delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] }),
        ),
        openai.delta({}, 'tool_calls'),
        openai.usage,
        openai.done,
      ),
  },
  {
    name: 'Anthropic, whole replies',
    model: anthropicModel,
    stream: false,
    says: (text, stop = 'end') =>
      json(anthropic.reply([{ type: 'text', text }], stop === 'end' ? 'end_turn' : 'max_tokens')),
    asks: (...uses) =>
      json(
        anthropic.reply(
          uses.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input: JSON.parse(input) })),
          'tool_use',
        ),
      ),
  },
  {
    name: 'Anthropic, streamed',
    model: anthropicModel,
    stream: true,
    says: (text, stop = 'end') =>
      events(anthropic.start(), anthropic.text(0, ...text), anthropic.stop(stop === 'end' ? 'end_turn' : 'max_tokens')),
    asks: (...uses) =>
      events(anthropic.start(), ...uses.map((use, index) => anthropic.use(index, use)), anthropic.stop('tool_use')),
  },
];

describe.each(providers)('$name', ({ model, stream, says, asks }) => {
  it('sampling-85, sampling-86: a provider gives a text, its end, and what it cost', async () => {
    server.respond(says('Hello.'), says('Hel', 'length'));
    const house = router(model(), stream);
    const { result, usage } = await house.run(hi, { signal: never });
    expect(result).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Hello.' },
      stopReason: 'endTurn',
    });
    expect(result.model).toMatch(/^(local-1-0814|claude-test-20260101)$/);
    expect(usage).toEqual({ inputTokens: 11, outputTokens: 5, estimated: false });
    expect((await house.run(hi, { signal: never })).result.stopReason).toBe('maxTokens');
    expect(server.received[0]!.body.max_tokens).toBe(50);
    expect(server.received[0]!.body.stream ?? false).toBe(stream);
  });

  it('sampling-36 to -42: a tool loop runs parallel tools, end to end', async () => {
    server.respond(asks(paris, london), says('Sunny in both.'));
    const house = router(model(), stream);
    let step: ToolLoopStep = startToolLoop({ ...hi, tools: [weather.definition] }, { maxIterations: 2 });
    while (step.next === 'sample' || step.next === 'run') {
      if (step.next === 'sample') {
        const { result } = await house.run(step.request, { signal: never });
        step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs: 0 });
      } else {
        const results = await Promise.all(step.uses.map(use => answerToolUse([weather], use, { signal: never })));
        step = advanceToolLoop(step.state, { kind: 'results', results, elapsedMs: 0 });
      }
    }
    expect(step).toMatchObject({ next: 'done', iterations: 2 });
    expect(step.next === 'done' && textOf(step.result)).toBe('Sunny in both.');
    const sent = JSON.stringify(server.received[1]!.body.messages);
    for (const part of ['c1', 'c2', 'Sunny in Paris.', 'Sunny in London.']) expect(sent).toContain(part);
    const choice = server.received[1]!.body.tool_choice;
    expect(choice?.type ?? choice).toBe('none');
    expect(server.received[1]!.body.tools).toHaveLength(1);
  });

  it('a reply that is cut off is an error, and nothing of it is handed on', async () => {
    const parts = stream
      ? [openai.delta({ content: 'Half a ' }), anthropic.start() + anthropic.text(0, 'Half a ')]
      : ['', ''];
    server.respond(cutEvents(parts[model === openaiModel ? 0 : 1]!));
    const error = await router(model(), stream)
      .run(hi, { signal: never })
      .catch((caught: unknown) => caught);
    expect(isMidcallError(error, 'sampling/unavailable')).toBe(true);
    expect(String(error)).not.toContain('Half');
  });

  it('a run stops when the signal fires, rejects with its reason, and hangs up on the provider', async () => {
    const stop = new AbortController();
    const reason = new Error('The person dismissed it.');
    const start = model === openaiModel ? openai.delta({ content: 'Slow' }) : anthropic.start();
    server.respond(stalledEvents(() => stop.abort(reason), start));
    await expect(router(model(), stream).run(hi, { signal: stop.signal })).rejects.toBe(reason);
    await server.hungUp;
  });

  it.each<[string, number, Record<string, unknown>, string, string]>([
    [
      'a key that is not accepted',
      401,
      { type: 'authentication_error', message: `Incorrect API key: ${apiKey}` },
      'sampling/unavailable',
      'The provider of house does not accept this host’s API key (HTTP 401, authentication_error).',
    ],
    [
      'a rate limit',
      429,
      { type: 'rate_limit_error', message: apiKey },
      'sampling/limit',
      'The provider of house is too busy for this account; try again in a while (HTTP 429, rate_limit_error).',
    ],
    ['a quota', 429, { type: 'insufficient_quota', message: apiKey }, 'sampling/limit', 'used up'],
    [
      'a failure',
      500,
      { type: 'api_error', message: apiKey },
      'sampling/unavailable',
      'The provider of house failed; try again later (HTTP 500, api_error).',
    ],
    [
      'an unknown model',
      404,
      { type: 'not_found_error', message: apiKey },
      'sampling/unavailable',
      'does not know the model house (HTTP 404, not_found_error).',
    ],
    [
      'a request it refuses',
      400,
      { type: 'invalid_request_error', message: `Hi. ${apiKey}` },
      'sampling/invalid',
      'refused this request (HTTP 400, invalid_request_error).',
    ],
  ])(
    'sampling-97: an error says in plain words, without the key or the prompt: %s',
    async (_, status, error, code, words) => {
      server.respond(json({ type: 'error', error }, status, { 'x-request-id': apiKey }));
      const caught = await router(model(), stream)
        .run(hi, { signal: never })
        .catch((each: unknown) => each);
      expect(isMidcallError(caught) && caught.code).toBe(code);
      expect((caught as Error).message).toContain(words);
      expect(server.received).toHaveLength(1);
      const all = `${(caught as Error).stack} ${JSON.stringify(caught, Object.getOwnPropertyNames(caught))}`;
      for (const secret of [apiKey, server.url, 'Hi.']) expect(all).not.toContain(secret);
    },
  );

  it('an error says that a provider cannot be reached', async () => {
    const house = router(model(), stream);
    await server[Symbol.asyncDispose]();
    await expect(house.run(hi, { signal: never })).rejects.toThrow('The provider of house cannot be reached.');
  });

  it('the error says that a provider talks nonsense', async () => {
    server.respond(events(stream ? 'data: {"nonsense":\n\n' : '<html>'));
    await expect(router(model(), stream).run(hi, { signal: never })).rejects.toMatchObject({
      code: 'sampling/unavailable',
    });
  });
});

describe('OpenAI chat completions', () => {
  it('sampling-63, sampling-64, sampling-75, sampling-81, sampling-82: OpenAI is sent the whole request', async () => {
    server.respond(json(openai.reply('A dog.', 'stop')));
    await router(openaiModel()).run(
      {
        ...hi,
        systemPrompt: 'Be brief.',
        temperature: 0.3,
        stopSequences: ['END'],
        tools: [weather.definition],
        toolChoice: { mode: 'auto' },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', data: 'aGk=', mimeType: 'image/png' },
              { type: 'audio', data: 'aG8=', mimeType: 'audio/wav' },
            ],
          },
        ],
      },
      { signal: never },
    );
    const { path, headers, body } = server.received[0]!;
    expect(path).toBe('/v1/chat/completions');
    expect(headers['authorization']).toBe(`Bearer ${apiKey}`);
    expect(body).toMatchObject({
      model: 'local-1',
      max_tokens: 50,
      temperature: 0.3,
      stop: ['END'],
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
            { type: 'input_audio', input_audio: { data: 'aG8=', format: 'wav' } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'weather', description: 'The weather.' } }],
    });
  });

  it('sampling-41: a picture a tool gave reaches the model behind the tool messages', async () => {
    server.respond(json(openai.reply('A dog.', 'stop')));
    await router(openaiModel()).run(
      {
        ...hi,
        tools: [weather.definition],
        messages: [
          ...hi.messages,
          { role: 'assistant', content: { type: 'tool_use', id: 'c1', name: 'weather', input: {} } },
          {
            role: 'user',
            content: {
              type: 'tool_result',
              toolUseId: 'c1',
              content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
            },
          },
        ],
      },
      { signal: never },
    );
    expect(server.received[0]!.body.messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: '[image in the next message]' },
      { role: 'user', content: [{ type: 'image_url' }] },
    ]);
  });

  it('sampling-54: OpenAI is told to require a tool, and a reply without one is refused', async () => {
    server.respond(json(openai.reply('No.', 'stop')));
    const request: SamplingRequest = { ...hi, tools: [weather.definition], toolChoice: { mode: 'required' } };
    await expect(router(openaiModel()).run(request, { signal: never })).rejects.toThrow('demands one');
    expect(server.received[0]!.body.tool_choice).toBe('required');
  });

  it('the cost is estimated where a stream does not tell it', async () => {
    server.respond(events(openai.delta({ content: 'Hello.' }), openai.delta({}, 'stop'), openai.done));
    expect((await router(openaiModel(), true).run(hi, { signal: never })).usage).toMatchObject({ estimated: true });
  });

  it('an error inside a stream is told as one, and the text before it is not handed on', async () => {
    const error = `data: ${JSON.stringify({ error: { message: apiKey, type: 'server_error' } })}\n\n`;
    server.respond(events(openai.delta({ content: 'Half' }), error));
    const caught = await router(openaiModel(), true)
      .run(hi, { signal: never })
      .catch((each: unknown) => each);
    expect(isMidcallError(caught, 'sampling/unavailable')).toBe(true);
    expect((caught as Error).message).not.toContain(apiKey);
  });
});

describe('Anthropic messages', () => {
  it('sampling-82, sampling-86: a stop sequence is told from the end', async () => {
    server.respond(json(anthropic.reply([{ type: 'text', text: 'One ' }], 'stop_sequence', 'END')));
    const { result } = await router(anthropicModel()).run({ ...hi, stopSequences: ['END'] }, { signal: never });
    expect(result.stopReason).toBe('stopSequence');
    expect(server.received[0]!.body.stop_sequences).toEqual(['END']);
  });

  it('sampling-41, sampling-105: Anthropic is sent results, failures among them, in one user message', async () => {
    server.respond(json(anthropic.reply([{ type: 'text', text: 'I see.' }], 'end_turn')));
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
    await router(anthropicModel()).run(
      {
        ...hi,
        systemPrompt: 'Be brief.',
        tools: [weather.definition],
        messages: [
          ...hi.messages,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me see.' },
              { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Paris' } },
              { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'London' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', toolUseId: 'c2', content: [{ type: 'text', text: 'Fog.' }], isError: true },
              { type: 'tool_result', toolUseId: 'c1', content: [image] },
            ],
          },
        ],
      },
      { signal: never },
    );
    const { path, headers, body } = server.received[0]!;
    expect(path).toBe('/v1/messages');
    expect(headers['x-api-key']).toBe(apiKey);
    expect(body.system).toMatchObject([{ type: 'text', text: 'Be brief.' }]);
    expect(body.tool_choice).toMatchObject({ type: 'auto' });
    expect(body.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [{ type: 'text' }, { type: 'tool_use', id: 'c1' }, { type: 'tool_use', id: 'c2' }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c2', content: 'Fog.', is_error: true },
          { type: 'tool_result', tool_use_id: 'c1' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        ],
      },
    ]);
  });

  it('Anthropic is sent an image', async () => {
    server.respond(json(anthropic.reply([{ type: 'text', text: 'A dog.' }], 'end_turn')));
    const content = [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] as const;
    await router(anthropicModel()).run({ ...hi, messages: [{ role: 'user', content }] }, { signal: never });
    expect(server.received[0]!.body.messages[0].content[0].source.media_type).toBe('image/png');
  });

  it('an error says that audio is more than a provider takes, where the operator claimed it does', async () => {
    const content = { type: 'audio', data: 'aG8=', mimeType: 'audio/wav' } as const;
    await expect(
      router(anthropicModel()).run({ ...hi, messages: [{ role: 'user', content }] }, { signal: never }),
    ).rejects.toThrow('The provider of house cannot take a part of this request.');
    expect(server.received).toHaveLength(0);
  });

  it('a refusal is told as a filter', async () => {
    server.respond(json(anthropic.reply([], 'refusal')));
    expect((await router(anthropicModel()).run(hi, { signal: never })).result).toMatchObject({
      content: { type: 'text', text: '' },
      stopReason: 'contentFilter',
    });
  });
});

describe('a provider without a key', () => {
  let kept: string | undefined;
  beforeAll(() => {
    kept = process.env['ANTHROPIC_API_KEY'];
    delete process.env['ANTHROPIC_API_KEY'];
  });
  afterAll(() => {
    if (kept !== undefined) process.env['ANTHROPIC_API_KEY'] = kept;
  });

  it('a provider without a key is told where it is run, before anything leaves', async () => {
    const house = router(createAnthropic({ baseURL: server.url })('claude-test'));
    await expect(house.run(hi, { signal: never })).rejects.toThrow('The provider of house has no API key');
    expect(server.received).toHaveLength(0);
  });
});
