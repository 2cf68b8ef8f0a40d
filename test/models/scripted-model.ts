/** AI SDK models of both interface versions that give what a test scripts, and keep what they were given. */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3GenerateResult } from '@ai-sdk/provider';

type Call = Parameters<LanguageModelV3['doGenerate']>[0];

export interface Scripted extends LanguageModelV3 {
  readonly calls: Call[];
}

/** A whole reply of one text. */
export function reply(more: Partial<LanguageModelV3GenerateResult> = {}): LanguageModelV3GenerateResult {
  return {
    content: [{ type: 'text', text: 'Hello.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 7, noCache: 7, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 3, text: 3, reasoning: undefined },
    },
    warnings: [],
    ...more,
  };
}

export function scripted(
  give: LanguageModelV3GenerateResult | ((call: Call) => Promise<LanguageModelV3GenerateResult>) = reply(),
  modelId = 'stub-1',
): Scripted {
  const calls: Call[] = [];
  return {
    specificationVersion: 'v3',
    provider: 'test',
    modelId,
    supportedUrls: {},
    calls,
    doGenerate: async call => {
      calls.push(call);
      return typeof give === 'function' ? give(call) : give;
    },
    doStream: () => Promise.reject(new Error('This model does not stream.')),
  };
}

/** A model of AI SDK 5. */
export function scriptedV2(finishReason: 'stop' | 'length' | 'unknown', stopSequence?: string): LanguageModelV2 {
  return {
    specificationVersion: 'v2',
    provider: 'test',
    modelId: 'old-1',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Hello.' }],
      finishReason,
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
      warnings: [{ type: 'unsupported-setting', setting: 'temperature' }],
      ...(stopSequence !== undefined && { providerMetadata: { anthropic: { stopSequence } } }),
    }),
    doStream: () => Promise.reject(new Error('This model does not stream.')),
  };
}
