import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import { isMidcallError } from '@midcall/core/errors';
import { type LanguageModel, type ModelEntry, modelRouter } from '@midcall/core/models';
import type { SamplingRequest } from '@midcall/core/sampling';
import { describe, expect, it } from 'vitest';
import { reply, type Scripted, scripted, scriptedV2 } from './scripted-model.ts';

const { signal } = new AbortController();
const entry = (model: LanguageModel, more: Partial<ModelEntry> = {}): ModelEntry => ({
  model,
  name: 'stub',
  cost: 0,
  speed: 0,
  intelligence: 0,
  skills: ['tools', 'image', 'audio'],
  ...more,
});
const routed = (model: LanguageModel) => modelRouter({ models: [entry(model)] });
const tools = [{ name: 'weather', description: 'The weather.', inputSchema: { type: 'object' } }];
const hi: SamplingRequest = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }], maxTokens: 50 };
const toolCall = (input: string, toolCallId = 'c1') =>
  ({ type: 'tool-call', toolCallId, toolName: 'weather', input }) as const;
const calling = (...content: LanguageModelV3GenerateResult['content']) =>
  reply({ content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } });

async function callFor(request: SamplingRequest) {
  const model: Scripted = scripted();
  await routed(model).run(request, { signal });
  const { abortSignal: _, ...call } = model.calls[0]!;
  return call;
}

describe('the call a model gets', () => {
  it('sampling-75, sampling-80, sampling-81, sampling-82: a model gets the prompt, the limit, the temperature and the stop sequences', async () => {
    expect(await callFor({ ...hi, systemPrompt: 'Be brief.', temperature: 0.3, stopSequences: ['END'] })).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      ],
      maxOutputTokens: 50,
      temperature: 0.3,
      stopSequences: ['END'],
    });
  });

  it('sampling-63, sampling-64: a model gets images and audio', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aG8=', mimeType: 'audio/wav' },
    ] as const;
    expect((await callFor({ ...hi, messages: [{ role: 'user', content }] })).prompt[0]!.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'file', data: 'aGk=', mediaType: 'image/png' },
      { type: 'file', data: 'aG8=', mediaType: 'audio/wav' },
    ]);
  });

  it('sampling-53: a model is offered tools, and an absent choice is auto', async () => {
    const call = await callFor({ ...hi, tools });
    expect(call.tools).toEqual([{ type: 'function', ...tools[0] }]);
    expect(call.toolChoice).toEqual({ type: 'auto' });
    expect((await callFor({ ...hi, tools, toolChoice: { mode: 'none' } })).toolChoice).toEqual({ type: 'none' });
  });

  it('sampling-41, sampling-52: a model gets tool uses and results, and their media in a user message behind them', async () => {
    const { prompt } = await callFor({
      ...hi,
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'b', name: 'map', input: {} },
            { type: 'tool_use', id: 'c', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              toolUseId: 'a',
              content: [
                { type: 'text', text: 'Sunny.' },
                { type: 'image', data: 'aGk=', mimeType: 'image/png' },
                { type: 'resource_link', uri: 'x:1', name: 'Forecast' },
                { type: 'resource', resource: { uri: 'x:2', text: 'Warm.' } },
                { type: 'resource', resource: { uri: 'x:3', blob: 'aGk=', mimeType: 'audio/wav' } },
                { type: 'resource', resource: { uri: 'x:4', blob: 'aGk=' } },
              ],
            },
            { type: 'tool_result', toolUseId: 'b', content: [{ type: 'text', text: 'No map.' }], isError: true },
            { type: 'tool_result', toolUseId: 'c', content: [], structuredContent: { celsius: 21 } },
          ],
        },
      ],
    });
    expect(prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Paris' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'map', input: {} },
          { type: 'tool-call', toolCallId: 'c', toolName: 'weather', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'weather',
            output: {
              type: 'text',
              value:
                'Sunny.\n[image in the next message]\n[Forecast](x:1)\nx:2:\nWarm.\n[audio in the next message]\n[x:4: binary, left out]',
            },
          },
          { type: 'tool-result', toolCallId: 'b', toolName: 'map', output: { type: 'error-text', value: 'No map.' } },
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'weather',
            output: { type: 'json', value: { celsius: 21 } },
          },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'file', data: 'aGk=', mediaType: 'image/png' },
          { type: 'file', data: 'aGk=', mediaType: 'audio/wav' },
        ],
      },
    ]);
  });

  it('sampling-61, sampling-83, sampling-57: a model gets nothing of an earlier request, and no provider settings of the server', async () => {
    const model = scripted();
    const router = routed(model);
    await router.run({ ...hi, metadata: { openai: { store: true } } }, { signal });
    await router.run({ ...hi, messages: [{ role: 'user', content: { type: 'text', text: 'Again.' } }] }, { signal });
    expect(JSON.stringify(model.calls[0])).not.toContain('store');
    expect(JSON.stringify(model.calls[1])).not.toContain('Hi.');
  });

  it('a provider gets back what it put beside a tool use, which the server never saw', async () => {
    const providerMetadata = { google: { thoughtSignature: 'sig' } };
    const model = scripted(calling({ ...toolCall('{}'), providerMetadata }));
    const router = routed(model);
    const { result } = await router.run({ ...hi, tools }, { signal });
    expect(JSON.stringify(result)).not.toContain('sig');
    const messages: SamplingRequest['messages'] = [
      ...hi.messages,
      { role: 'assistant', content: result.content },
      { role: 'user', content: { type: 'tool_result', toolUseId: 'c1', content: [] } },
    ];
    await router.run({ ...hi, tools, messages }, { signal });
    expect(model.calls[1]!.prompt[1]!.content).toMatchObject([
      { type: 'tool-call', providerOptions: providerMetadata },
    ]);
  });
});

describe('the result of a model', () => {
  const resultOf = async (generated: LanguageModelV3GenerateResult, request: SamplingRequest = hi) =>
    routed(scripted(generated)).run(request, { signal });

  it('sampling-85: the result of a model has its role, its content, the model that answered, and the cost', async () => {
    expect(await resultOf(reply({ response: { modelId: 'stub-1-0814' } }))).toEqual({
      result: {
        role: 'assistant',
        content: { type: 'text', text: 'Hello.' },
        model: 'stub-1-0814',
        stopReason: 'endTurn',
      },
      usage: { inputTokens: 7, outputTokens: 3, estimated: false },
      notes: [],
    });
  });

  it.each<[string, LanguageModelV3GenerateResult['finishReason'], string]>([
    ['the end', { unified: 'stop', raw: 'end_turn' }, 'endTurn'],
    ['a stop sequence', { unified: 'stop', raw: 'stop_sequence' }, 'stopSequence'],
    ['the limit', { unified: 'length', raw: 'length' }, 'maxTokens'],
    ['a filter', { unified: 'content-filter', raw: 'refusal' }, 'contentFilter'],
    ['a reason of the provider’s own', { unified: 'other', raw: 'compaction' }, 'compaction'],
    ['a reason that is prose', { unified: 'other', raw: 'because I say so' }, 'other'],
  ])(
    'sampling-82, sampling-86, sampling-87: the result of a model says that it stopped at %s',
    async (_, finishReason, expected) => {
      expect((await resultOf(reply({ finishReason }))).result.stopReason).toBe(expected);
    },
  );

  it('sampling-34, sampling-35, sampling-56: the result of a model may use several tools at once', async () => {
    const { result } = await resultOf(calling(toolCall('{"city":"Paris"}'), toolCall('', 'c2')), { ...hi, tools });
    expect(result).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Paris' } },
        { type: 'tool_use', id: 'c2', input: {} },
      ],
    });
  });

  it('sampling-85: texts that follow one another in a result are one block', async () => {
    const content = [{ type: 'text', text: 'One ' } as const, { type: 'text', text: 'two.' } as const];
    expect((await resultOf(reply({ content }))).result.content).toEqual({ type: 'text', text: 'One two.' });
  });

  it('an empty reply of a model is an empty text', async () => {
    expect((await resultOf(reply({ content: [] }))).result.content).toEqual({ type: 'text', text: '' });
  });

  it('the result of a model leaves reasoning on the host, carries images, and says what it cannot carry', async () => {
    const { result, notes } = await resultOf(
      reply({
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Here.' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
          { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
        ],
      }),
    );
    expect(result.content).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
    ]);
    expect(notes).toEqual(['The model made a file that a sampling reply cannot carry; it was left out.']);
  });

  it('sampling-80: the text of a provider that ignores the limit is cut', async () => {
    const generated = reply({ content: [{ type: 'text', text: 'abcdefghij' }] });
    const { result, notes } = await resultOf(generated, { ...hi, maxTokens: 2 });
    expect(result).toMatchObject({ content: { text: 'abcdef' }, stopReason: 'maxTokens' });
    expect(notes).toEqual(['The model wrote more than the 2 tokens asked for; its text was cut.']);
  });

  it('sampling-55: tools that a model asks for although they are off are dropped, and its text is kept', async () => {
    const generated = calling({ type: 'text', text: 'I would look.' }, toolCall('{}'));
    const { result, notes } = await resultOf(generated, { ...hi, tools, toolChoice: { mode: 'none' } });
    expect(result).toMatchObject({ content: { text: 'I would look.' }, stopReason: 'endTurn' });
    expect(notes).toHaveLength(1);
  });

  it.each<[string, LanguageModelV3GenerateResult, SamplingRequest, string]>([
    [
      'sampling-55: nothing but a tool although they are off',
      calling(toolCall('{}')),
      { ...hi, tools, toolChoice: { mode: 'none' } },
      'switched tools off',
    ],
    [
      'sampling-54: text where a tool is required',
      reply(),
      { ...hi, tools, toolChoice: { mode: 'required' } },
      'demands one',
    ],
    ['a tool nobody offered', calling(toolCall('{}')), hi, 'offered none'],
    ['half-written arguments', calling(toolCall('{"city":')), { ...hi, tools }, 'not a JSON object'],
    ['arguments that are a list', calling(toolCall('[1]')), { ...hi, tools }, 'not a JSON object'],
    ['arguments with __proto__', calling(toolCall('{"__proto__":{}}')), { ...hi, tools }, '__proto__'],
    ['two uses of one id', calling(toolCall('{}'), toolCall('{}')), { ...hi, tools }, 'Two tool uses'],
  ])('the result of a model is refused: %s', async (_, generated, request, message) => {
    const error = await resultOf(generated, request).catch((caught: unknown) => caught);
    expect(isMidcallError(error, 'sampling/invalid') && error.message).toContain(message);
  });

  it('the cost is estimated where the provider does not say it, rather too high than too low', async () => {
    const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const usage = { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
    const words = 'one two three four five six seven eight nine ten ';
    const counted = await resultOf(reply({ usage, content: [{ type: 'text', text: words.repeat(10) }] }));
    expect(counted.usage.estimated).toBe(true);
    expect(counted.usage.outputTokens).toBeGreaterThanOrEqual(100);
    expect(counted.usage.inputTokens).toBeGreaterThan(0);
  });

  it('sampling-84: the result of a model tells what settings a provider does not follow', async () => {
    const { notes } = await resultOf(reply({ warnings: [{ type: 'unsupported', feature: 'temperature' }] }));
    expect(notes).toEqual(['The provider does not follow the setting "temperature".']);
  });

  it('models of AI SDK 5 are read as well', async () => {
    const run = async (model: LanguageModel) => routed(model).run(hi, { signal });
    expect(await run(scriptedV2('stop'))).toEqual({
      result: { role: 'assistant', content: { type: 'text', text: 'Hello.' }, model: 'old-1', stopReason: 'endTurn' },
      usage: { inputTokens: 7, outputTokens: 3, estimated: false },
      notes: ['The provider does not follow the setting "temperature".'],
    });
    expect((await run(scriptedV2('length'))).result.stopReason).toBe('maxTokens');
    expect((await run(scriptedV2('stop', 'END'))).result.stopReason).toBe('stopSequence');
    expect((await run(scriptedV2('unknown'))).result.stopReason).toBe('other');
  });
});

describe('a run', () => {
  it('sampling-74: a run goes to the model the person prefers, where it can take the request', async () => {
    const other = scripted(undefined, 'other-1');
    const router = modelRouter({ models: [entry(scripted()), entry(other, { name: 'other', skills: [] })] });
    expect((await router.run(hi, { signal, model: 'other' })).result.model).toBe('other-1');
    await expect(router.run({ ...hi, tools }, { signal, model: 'other' })).rejects.toThrow(
      'The model other does not take tools.',
    );
    await expect(router.run(hi, { signal, model: 'none' })).rejects.toThrow('There is no model called "none" here.');
  });

  it('a run rejects with the signal’s reason at once, even where the provider does not listen', async () => {
    const stop = new AbortController();
    const reason = new Error('The person dismissed it.');
    const deaf = scripted(() => {
      queueMicrotask(() => stop.abort(reason));
      return new Promise(() => {});
    });
    await expect(routed(deaf).run(hi, { signal: stop.signal })).rejects.toBe(reason);
    await expect(routed(deaf).run(hi, { signal: stop.signal })).rejects.toBe(reason);
    expect(deaf.calls).toHaveLength(1);
  });

  it('a run rejects even where the signal fires while the provider is being called', async () => {
    const stop = new AbortController();
    const reason = new Error('The person dismissed it.');
    const deaf: LanguageModel = {
      ...scripted(),
      doGenerate: () => {
        stop.abort(reason);
        return new Promise(() => {});
      },
    };
    await expect(routed(deaf).run(hi, { signal: stop.signal })).rejects.toBe(reason);
  });

  it('nothing is asked of a model before it is run', () => {
    const model = scripted();
    routed(model).choose(hi);
    expect(model.calls).toHaveLength(0);
  });
});
