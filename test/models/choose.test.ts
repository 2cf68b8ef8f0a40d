import { type ModelEntry, modelRouter } from '@midcall/core/models';
import type { ModelPreferences, SamplingRequest } from '@midcall/core/sampling';
import { describe, expect, it } from 'vitest';
import { scripted } from './scripted-model.ts';

const entry = (name: string, cost: number, speed: number, intelligence: number, more: Partial<ModelEntry> = {}) => ({
  model: scripted(undefined, `${name}-2026`),
  name,
  cost,
  speed,
  intelligence,
  ...more,
});

const models: ModelEntry[] = [
  entry('house-large', 0.9, 0.2, 0.95, { skills: ['tools', 'image'] }),
  entry('house-small', 0.2, 0.7, 0.4, { standsFor: ['haiku', 'gpt-mini'] }),
  entry('garage', 0, 0.3, 0.3),
  entry('rocket', 0.5, 1, 0.5, { skills: ['audio'], standsFor: ['gemini'] }),
];
const router = modelRouter({ models });
const request = (modelPreferences?: ModelPreferences, more: Partial<SamplingRequest> = {}): SamplingRequest => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }],
  maxTokens: 10,
  ...(modelPreferences && { modelPreferences }),
  ...more,
});
const hints = (...names: string[]): ModelPreferences => ({ hints: names.map(name => ({ name })) });
const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const;
const audio = { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } as const;

describe('the choice of a model', () => {
  it.each<[string, ModelPreferences | undefined, string, string]>([
    [
      'the operator’s order where nothing is said',
      undefined,
      'house-large',
      'It is the first of 4 models that can do this.',
    ],
    ['sampling-67: cost', { costPriority: 1 }, 'garage', 'Of 4 models it fits best where low cost counts.'],
    ['sampling-68: speed', { speedPriority: 1 }, 'rocket', 'Of 4 models it fits best where speed counts.'],
    [
      'sampling-69: intelligence',
      { intelligencePriority: 1 },
      'house-large',
      'Of 4 models it fits best where intelligence counts.',
    ],
    [
      'several priorities together',
      { costPriority: 0.4, speedPriority: 0.9 },
      'rocket',
      'Of 4 models it fits best where speed counts most, then low cost.',
    ],
    [
      'sampling-71, sampling-95: a hint as a part of a name',
      hints('small'),
      'house-small',
      'It matches the server’s hint "small".',
    ],
    [
      'sampling-71: a hint as a part of the model’s id',
      hints('GARAGE-20'),
      'garage',
      'It matches the server’s hint "GARAGE-20".',
    ],
    [
      'sampling-72, sampling-102: hints in order',
      hints('missing', 'rocket', 'garage'),
      'rocket',
      'It matches the server’s hint "rocket".',
    ],
    ['sampling-72: the other order', hints('garage', 'rocket'), 'garage', 'It matches the server’s hint "garage".'],
    [
      'sampling-73: a family it stands in for',
      hints('claude-3-haiku'),
      'house-small',
      'It stands in for the server’s hint "claude-3-haiku".',
    ],
    ['sampling-73: a family named in part', hints('gemi'), 'rocket', 'It stands in for the server’s hint "gemi".'],
    [
      'sampling-103: hints before priorities',
      { ...hints('large'), speedPriority: 1 },
      'house-large',
      'It matches the server’s hint "large".',
    ],
    [
      'sampling-103: priorities among what a hint matches',
      { ...hints('house'), speedPriority: 1 },
      'house-small',
      'It matches the server’s hint "house"; of 2 models it fits best where speed counts.',
    ],
    [
      'sampling-65: a model that is not here',
      hints('gpt-9'),
      'house-large',
      'No model matches the server’s hints; it is the first of 4 models that can do this.',
    ],
    [
      'an empty hint matches nothing',
      { hints: [{ name: ' ' }, {}] },
      'house-large',
      'No model matches the server’s hints; it is the first of 4 models that can do this.',
    ],
    [
      'a hint that would forge text',
      hints('x\u202e\n"OK"'),
      'house-large',
      'No model matches the server’s hints; it is the first of 4 models that can do this.',
    ],
  ])('the choice of a model follows %s', (_, preferences, name, why) => {
    expect(router.choose(request(preferences))).toEqual({ name, why, leftOut: [] });
  });

  it('sampling-02; choose-M1: the choice of a model goes only to a model that takes what the request holds', () => {
    const saying = (content: SamplingRequest['messages'][number]['content'], more: Partial<SamplingRequest> = {}) =>
      request(hints('garage'), { messages: [{ role: 'user', content }], ...more });
    expect(router.choose(saying(image)).name).toBe('house-large');
    expect(router.choose(saying(audio))).toEqual({
      name: 'rocket',
      why: 'No model matches the server’s hints; it is the only model here that can do this.',
      leftOut: [],
    });
    expect(() => router.choose(saying([image, audio]))).toThrow('No model here takes images and audio.');
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    expect(() => router.choose(saying(audio, { tools }))).toThrow('No model here takes audio and tools.');
  });

  it('choose-M1: the choice of a model counts images inside tool results, and in resources there', () => {
    const blob = { type: 'resource', resource: { uri: 'x:1', blob: 'aGk=', mimeType: 'audio/wav' } } as const;
    const messages = (content: typeof blob | typeof image): SamplingRequest['messages'] => [
      { role: 'assistant', content: { type: 'tool_use', id: 'a', name: 't', input: {} } },
      { role: 'user', content: { type: 'tool_result', toolUseId: 'a', content: [content] } },
    ];
    expect(router.choose(request(undefined, { messages: messages(image) })).name).toBe('house-large');
    expect(() => router.choose(request(undefined, { messages: messages(blob) }))).toThrow('audio');
  });

  it('a hint cannot forge the reason', () => {
    const preferences = hints('garage\u202e"\n. It is free.');
    const wide = entry('garage\u202e"\n. It is free. Really', 0, 0, 0);
    const { why } = modelRouter({ models: [wide] }).choose(request(preferences));
    expect(why).toBe('It matches the server’s hint "garage\uFFFD\'\uFFFD. It is free.".');
  });

  it('sampling-83: the choice of a model says what no model is given', () => {
    const { leftOut } = router.choose(
      request(undefined, { metadata: {}, messages: [{ role: 'assistant', content: image }] }),
    );
    expect(leftOut).toEqual([
      'The server’s provider settings (metadata) are not passed on.',
      'Images and audio the assistant made earlier are not sent again.',
    ]);
  });

  it('sampling-14: the choice of a model says whether tools may be declared', () => {
    expect(router.tools).toBe(true);
    expect(modelRouter({ models: [models[3]!] }).tools).toBe(false);
    expect(router.names).toEqual(['house-large', 'house-small', 'garage', 'rocket']);
  });
});

describe('a router cannot be built', () => {
  it.each<[string, ModelEntry[], string]>([
    ['without models', [], 'at least one model'],
    ['with one name twice', [models[0]!, models[0]!], 'Two models are called house-large.'],
    ['without a name', [entry(' ', 0, 0, 0)], 'needs a name'],
    ['with a cost above 1', [entry('a', 2, 0, 0)], 'The cost of a must be a number from 0 to 1.'],
    ['with a speed that is no number', [entry('a', 0, NaN, 0)], 'The speed of a'],
    [
      'with a model’s name in place of the model',
      [entry('a', 0, 0, 0, { model: 'openai/gpt' as never })],
      'not a name or a URL',
    ],
    [
      'with an interface of the future',
      [entry('a', 0, 0, 0, { model: { ...scripted(), specificationVersion: 'v9' } as never })],
      'unknown version',
    ],
  ])('a router cannot be built %s', (_, entries, message) => {
    expect(() => modelRouter({ models: entries })).toThrow(message);
  });
});
