/** What a handler requests from a language model, and what it gets back. */
import type {
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
  ToolLoopLimits,
} from '@midcall/core/sampling';

/** What `call.sampleWithTools` takes: a request, the tools as code, and limits. */
export interface SampleWithToolsAsk extends Omit<SamplingRequest, 'tools' | 'includeContext'>, ToolLoopLimits {
  readonly tools: readonly SamplingTool[];
  /** Milliseconds for each reply; the server's `askTimeoutMs` if absent. */
  readonly timeoutMs?: number;
}

/** What `call.sample` takes. */
export interface SampleAsk extends Omit<SamplingRequest, 'includeContext'> {
  /** Milliseconds for the reply; the server's `askTimeoutMs` if absent. */
  readonly timeoutMs?: number;
}

/** The result of a tool loop. */
export interface ToolSamplingResult {
  readonly result: SamplingResult;
  /** The whole conversation, the final reply included. */
  readonly messages: readonly SamplingMessage[];
  /** Requests that went to the model. */
  readonly iterations: number;
}
