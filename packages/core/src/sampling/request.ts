/**
 * A sampling request and its result, as on both wires (schema.json, `CreateMessageRequestParams` and `CreateMessageResult`).
 */
import type { JsonObject, SamplingContent, SamplingMessage } from './message.ts';

/** What a client declares under `capabilities.sampling`. */
export interface SamplingCapability {
  /** Present if the client takes `tools` and `toolChoice`. */
  readonly tools?: object | undefined;
  /** Present if the client honours `includeContext`. */
  readonly context?: object | undefined;
}

/** Advice on the choice of a model; the client decides. */
export interface ModelPreferences {
  /** Tried in order; each is a part of a model's name. They outrank the priorities. */
  readonly hints?: readonly { readonly name?: string }[];
  /** 0 to 1; higher prefers cheaper models. */
  readonly costPriority?: number;
  /** 0 to 1; higher prefers faster models. */
  readonly speedPriority?: number;
  /** 0 to 1; higher prefers more capable models. */
  readonly intelligencePriority?: number;
}

/** A tool the model may ask for. It belongs to this request only and need not be one of the server's own. */
export interface SamplingToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments; `type` is `object`. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}

/** `auto`: the model decides (also if absent); `required`: at least one tool; `none`: no tool. */
export interface ToolChoice {
  readonly mode?: 'auto' | 'required' | 'none';
}

/** The parameters of `sampling/createMessage`. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  /** The most tokens to generate; a positive integer. */
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: ModelPreferences;
  /** The valid range is the provider's. */
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly tools?: readonly SamplingToolDefinition[];
  readonly toolChoice?: ToolChoice;
  /** Never sent by Midcall; here only if a client that declares `sampling.context` received it. */
  readonly includeContext?: 'thisServer' | 'allServers';
  /** Provider-specific extras. */
  readonly metadata?: JsonObject;
  readonly _meta?: JsonObject;
}

/** The result of `sampling/createMessage`. */
export interface SamplingResult {
  readonly role: 'assistant';
  /** One block, or several. */
  readonly content: SamplingContent | readonly SamplingContent[];
  /** The model that produced it. */
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a reason of the provider's own. */
  readonly stopReason?: string;
  readonly _meta?: JsonObject;
}
