/**
 * The tool loop of `sampleWithTools` as a pure reducer: state and event in, next step out. The caller samples and runs
 * tools; the state is plain JSON.
 *
 * loop-T1  every history it hands out is balanced, whatever the caller passes as results;
 * loop-T2  at most `maxIterations` requests leave, and their `maxTokens` never sum to more than `maxTotalTokens`;
 * loop-T3  the last request that may leave has `toolChoice: { mode: 'none' }`, so that a final text can come;
 * loop-T4  a reply is checked against its request before anything in it is acted on.
 */
import { MidcallError } from '../errors/index.ts';
import { checkRequest } from './check-request.ts';
import { checkResult } from './check-result.ts';
import { describeIssues, type SamplingIssue } from './findings.ts';
import { errorResult } from './sampling-tool.ts';
import {
  blocksOf,
  type SamplingMessage,
  type SamplingRequest,
  type SamplingResult,
  type ToolResultContent,
  type ToolUseContent,
} from './wire.ts';

/** The limits of the loop. */
export interface ToolLoopLimits {
  /** The maximum number of requests, 1 to 100; 10 if absent. */
  readonly maxIterations?: number;
  /** The maximum number of tokens to request in total; no limit if absent. */
  readonly maxTotalTokens?: number;
  /** Milliseconds after which no further request is sent; no limit if absent. */
  readonly maxElapsedMs?: number;
}

/** The state of a loop. Plain JSON; pass it back unchanged. */
export interface ToolLoopState {
  /** The request last handed out. */
  readonly request: SamplingRequest;
  /** The author's `maxTokens`, before any limit shortened it. */
  readonly maxTokens: number;
  /** Requests handed out so far. */
  readonly iterations: number;
  /** Tokens asked for by those requests together. */
  readonly tokens: number;
  /** Tool uses to be answered; empty while waiting for a reply. */
  readonly open: readonly ToolUseContent[];
  readonly limits: ToolLoopLimits;
}

/** What happened since the last step of the loop. */
export type ToolLoopEvent =
  /** The model's reply to the last request; untrusted. `elapsedMs`: since the loop began, by the caller's clock. */
  | { readonly kind: 'reply'; readonly result: unknown; readonly elapsedMs: number }
  /** The results of the tools, in any order. */
  | { readonly kind: 'results'; readonly results: readonly ToolResultContent[]; readonly elapsedMs: number };

/** Why a loop ended without a final reply. */
export type ToolLoopRefusal = 'reply' | 'iterations' | 'tokens' | 'time';

/** What to do next. */
export type ToolLoopStep =
  /** Send this request. */
  | { readonly next: 'sample'; readonly request: SamplingRequest; readonly state: ToolLoopState }
  /** Run these tools, in parallel if you like. */
  | { readonly next: 'run'; readonly uses: readonly ToolUseContent[]; readonly state: ToolLoopState }
  /** `messages`: the whole conversation, the final reply included. */
  | {
      readonly next: 'done';
      readonly result: SamplingResult;
      readonly messages: readonly SamplingMessage[];
      readonly iterations: number;
    }
  | {
      readonly next: 'refused';
      readonly why: ToolLoopRefusal;
      readonly message: string;
      readonly issues: readonly SamplingIssue[];
    };

/**
 * Begins a loop.
 * @param request - the first request with its tools. A `toolChoice` of `required` holds for the first reply only, since
 *   the model could never finish under it; `auto` follows.
 * @throws MidcallError `sampling/invalid` if the request breaks a rule or a limit makes no sense
 * @example
 * ```ts
 * const first = startToolLoop({ messages, maxTokens: 500, tools: [searchTool.definition] }, { maxIterations: 5 });
 * const reply = await sample(first.request);
 * ```
 */
export function startToolLoop(
  request: SamplingRequest,
  limits: ToolLoopLimits = {},
): Extract<ToolLoopStep, { next: 'sample' }> {
  const checked = checkRequest(request, { tools: {} });
  if (!checked.ok) throw new MidcallError('sampling/invalid', describeIssues(checked.issues));
  if (!checked.value.tools?.length) throw new MidcallError('sampling/invalid', 'A tool loop needs at least one tool.');
  checkLimit('maxIterations', limits.maxIterations ?? 10, 100);
  checkLimit('maxTotalTokens', limits.maxTotalTokens ?? 1, Number.MAX_SAFE_INTEGER);
  checkLimit('maxElapsedMs', limits.maxElapsedMs ?? 1, Number.MAX_SAFE_INTEGER);
  const { maxTokens } = checked.value;
  const begun: ToolLoopState = { request: checked.value, maxTokens, iterations: 0, tokens: 0, open: [], limits };
  if (checked.value.toolChoice?.mode === 'required' && isLast(begun))
    throw new MidcallError(
      'sampling/invalid',
      'The limits allow one request, which may use no tools, but the tool choice requires one.',
    );
  return sample(begun, checked.value.messages);
}

/**
 * Advances a loop by one step.
 * @throws MidcallError `sampling/invalid` if the event is not the one the state waits for
 * @example
 * ```ts
 * let step: ToolLoopStep = startToolLoop({ messages, maxTokens: 500, tools: [searchTool.definition] });
 * if (step.next === 'sample') {
 *   const result = await sample(step.request);
 *   step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs: 1_200 });
 * }
 * ```
 */
export function advanceToolLoop(state: ToolLoopState, event: ToolLoopEvent): ToolLoopStep {
  if ((event.kind === 'results') !== state.open.length > 0)
    throw new MidcallError(
      'sampling/invalid',
      state.open.length > 0 ? 'The loop waits for tool results.' : 'The loop waits for a reply of the model.',
    );
  return event.kind === 'reply' ? onReply(state, event) : onResults(state, event);
}

function onReply(state: ToolLoopState, event: Extract<ToolLoopEvent, { kind: 'reply' }>): ToolLoopStep {
  const checked = checkResult(event.result, state.request);
  if (!checked.ok) return onBadReply(state, checked.issues);
  const result = checked.value;
  const messages = [...state.request.messages, asMessage(result)];
  const open = blocksOf(result).filter((block): block is ToolUseContent => block.type === 'tool_use');
  if (open.length === 0) return { next: 'done', result, messages, iterations: state.iterations };
  if (isLate(state, event.elapsedMs)) return late(state);
  return { next: 'run', uses: open, state: { ...state, request: { ...state.request, messages }, open } };
}

function onResults(state: ToolLoopState, event: Extract<ToolLoopEvent, { kind: 'results' }>): ToolLoopStep {
  if (isLate(state, event.elapsedMs)) return late(state);
  const content = state.open.map(
    use => event.results.find(result => result.toolUseId === use.id) ?? errorResult(use, 'This tool was not run.'),
  );
  return sample({ ...state, open: [] }, [...state.request.messages, { role: 'user', content }]);
}

/** Returns the next request: the author's, with this history, reduced to what the limits allow. */
function sample(state: ToolLoopState, messages: readonly SamplingMessage[]): Extract<ToolLoopStep, { next: 'sample' }> {
  const maxTokens = Math.min(state.maxTokens, tokensLeft(state));
  const { toolChoice, ...rest } = state.request;
  const choice = isLast(state)
    ? { mode: 'none' as const }
    : state.iterations > 0 && toolChoice?.mode === 'required'
      ? { mode: 'auto' as const }
      : toolChoice;
  const request: SamplingRequest = { ...rest, messages, maxTokens, ...(choice && { toolChoice: choice }) };
  const iterations = state.iterations + 1;
  return { next: 'sample', request, state: { ...state, request, iterations, tokens: state.tokens + maxTokens } };
}

/** True if the next request is the last that may be sent. */
function isLast(state: ToolLoopState): boolean {
  return state.iterations + 1 >= (state.limits.maxIterations ?? 10) || tokensLeft(state) <= state.maxTokens;
}

const tokensLeft = (state: ToolLoopState): number => (state.limits.maxTotalTokens ?? Infinity) - state.tokens;

const isLate = (state: ToolLoopState, elapsedMs: number): boolean =>
  elapsedMs >= (state.limits.maxElapsedMs ?? Infinity);

function asMessage(result: SamplingResult): SamplingMessage {
  return { role: 'assistant', content: result.content, ...(result._meta && { _meta: result._meta }) };
}

function onBadReply(state: ToolLoopState, issues: readonly SamplingIssue[]): ToolLoopStep {
  const byCount = state.iterations >= (state.limits.maxIterations ?? 10);
  const byTokens = tokensLeft(state) <= 0;
  if (!(byCount || byTokens) || !issues.some(issue => issue.rule === 'choice-none'))
    return { next: 'refused', why: 'reply', message: `The reply breaks the rules. ${describeIssues(issues)}`, issues };
  const limit = byCount ? `${state.iterations} requests` : `${state.limits.maxTotalTokens} tokens`;
  return {
    next: 'refused',
    why: byCount ? 'iterations' : 'tokens',
    message: `The model still asks for tools at the limit of ${limit}, although they were switched off.`,
    issues,
  };
}

function late(state: ToolLoopState): ToolLoopStep {
  const message = `The limit of ${state.limits.maxElapsedMs} milliseconds passed before the model had finished.`;
  return { next: 'refused', why: 'time', message, issues: [] };
}

function checkLimit(name: keyof ToolLoopLimits, value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw new MidcallError('sampling/invalid', `${name} must be a whole number from 1 to ${most}.`);
}
