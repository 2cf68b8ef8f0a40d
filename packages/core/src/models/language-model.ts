/**
 * The part of an AI SDK language model that we use: the provider interface of AI SDK 5 (`v2`) and 6 (`v3`), as a structural
 * type. The object is passed in by the operator, so that no package of the AI SDK is needed here, not even for its types.
 * Arrays are mutable because the interface's are.
 */
import type { JsonObject } from '../sampling/index.ts';

/** Settings a provider passes through, by provider name. */
export type ProviderData = Record<string, Record<string, never>>;

interface TextPart {
  type: 'text';
  text: string;
}

interface FilePart {
  type: 'file';
  /** Base64. */
  data: string;
  mediaType: string;
}

interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: ProviderData;
}

export interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string } | { type: 'json' | 'error-json'; value: never };
}

export type PromptMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: (TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] };

/** One call of a model; the part of `LanguageModelV2CallOptions` and `LanguageModelV3CallOptions` that sampling needs. */
export interface ModelCall {
  prompt: PromptMessage[];
  maxOutputTokens: number;
  temperature?: number;
  stopSequences?: string[];
  tools?: { type: 'function'; name: string; description?: string; inputSchema: object }[];
  toolChoice?: { type: 'auto' | 'none' | 'required' };
  abortSignal?: AbortSignal;
}

/** A model's output, in either version's format; read with care, since it comes from outside. */
export interface RawGeneration {
  readonly content: readonly { readonly type: string }[];
  readonly finishReason: string | { readonly unified: string; readonly raw: string | undefined };
  readonly usage: object;
  readonly warnings: readonly object[];
  readonly response?: { readonly modelId?: string };
  readonly providerMetadata?: Readonly<Record<string, JsonObject | object>>;
}

/** A language model object of AI SDK 5 or 6, such as `anthropic('claude-sonnet-4-5')`. */
export interface LanguageModel {
  readonly specificationVersion: 'v2' | 'v3';
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: ModelCall): PromiseLike<RawGeneration>;
  doStream(options: ModelCall): PromiseLike<{ readonly stream: ReadableStream<{ readonly type: string }> }>;
}
