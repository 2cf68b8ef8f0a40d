/**
 * A sampling request, its messages and its result, as on both wires (schema.json, `CreateMessageRequestParams`, `SamplingMessage`
 * and `CreateMessageResult`). The types are our own, so that neither SDK is needed to speak about sampling.
 */

/** Free-form JSON object, such as a tool's arguments. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface Block {
  /** Kept as received when the block is sent again, so that caches keep working. */
  readonly _meta?: JsonObject;
}

/** Text. */
export interface TextContent extends Block {
  readonly type: 'text';
  readonly text: string;
  readonly annotations?: JsonObject;
}

/** A picture, as base64. */
export interface ImageContent extends Block {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: JsonObject;
}

/** Sound, as base64. */
export interface AudioContent extends Block {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly annotations?: JsonObject;
}

/** The model asks for a tool. Only in assistant messages. */
export interface ToolUseContent extends Block {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** Names a resource without carrying it. */
export interface ResourceLinkContent extends Block {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
  readonly icons?: readonly JsonObject[];
  readonly annotations?: JsonObject;
}

/** Carries a resource. */
export interface EmbeddedResourceContent extends Block {
  readonly type: 'resource';
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    /** Exactly one of `text` and `blob` (base64). */
    readonly text?: string;
    readonly blob?: string;
    readonly _meta?: JsonObject;
  };
  readonly annotations?: JsonObject;
}

/** What a tool may hand back. */
export type ToolOutputContent =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLinkContent
  | EmbeddedResourceContent;

/** The answer to one `tool_use`. Only in user messages, and there only with others of its kind. */
export interface ToolResultContent extends Block {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ToolOutputContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** One block of a message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** One message of a conversation with a model. */
export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  /** One block, or several. */
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: JsonObject;
}

/** The blocks of a message or a result, whichever of the two spellings it uses. */
export function blocksOf(message: {
  readonly content: SamplingContent | readonly SamplingContent[];
}): readonly SamplingContent[] {
  return Array.isArray(message.content) ? message.content : [message.content as SamplingContent];
}

/**
 * The text of a message or a result; other blocks are left out.
 * @example
 * ```ts
 * const summary = textOf(await call.sample({ messages, maxTokens: 300 }));
 * ```
 */
export function textOf(message: { readonly content: SamplingContent | readonly SamplingContent[] }): string {
  return blocksOf(message)
    .flatMap(block => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

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
