/**
 * What one server may spend on the person's models: requests, tokens, and turns of tool use in one conversation
 * (client/sampling, "Security Considerations": rate limits, and iteration limits on both sides). No I/O; the clock is
 * passed in.
 *
 * - budget-G1 A run counts from its start with all it may cost, so that concurrent runs cannot exceed the limit together.
 * - budget-G2 A run never gets more tokens to generate than are left.
 * - budget-G3 The actual cost replaces the reserved one, once it is known. A run that failed or was stopped keeps its
 *   reservation, since nobody can say what it cost.
 */

import { defined } from '@midcall/core/json';
import { checkOptions, count, type Kinds } from '@midcall/core/options';
import { blocksOf, type ModelUsage, type SamplingRequest } from '@midcall/core/sampling';
import { counted } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';

/** What one server may spend of the person’s models. */
export interface SamplingLimits {
  /** How many times a model may run within the window. */
  readonly requests: number;
  /** Tokens within the window, input and output together. */
  readonly tokens: number;
  /** How many turns of tool use one conversation may contain. */
  readonly depth: number;
  /** After how many milliseconds a run no longer counts; `Infinity`: never. */
  readonly windowMs: number;
}

/** What counts at the moment. */
export interface SamplingSpent {
  readonly requests: number;
  /** Input and output together. */
  readonly tokens: number;
}

/** Whether a request may run; if not, a plain sentence says why. */
export type BudgetVerdict =
  /** `maxTokens`: the request's, or less if less is left. */
  { readonly ok: true; readonly maxTokens: number } | { readonly ok: false; readonly why: string };

/** A run that counts. */
export interface BudgetedRun {
  readonly ok: true;
  readonly maxTokens: number;
  /** Call once, with what it cost. */
  settle(usage: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>): void;
}

/** The account of one server. */
export interface SamplingBudget {
  readonly limits: SamplingLimits;
  spent(): SamplingSpent;
  /** Judges without changing anything: for checking before the person is asked. */
  judge(request: SamplingRequest): BudgetVerdict;
  /** Judges and, if it may run, counts it. */
  take(request: SamplingRequest): BudgetedRun | Extract<BudgetVerdict, { ok: false }>;
}

interface Spend {
  readonly at: number;
  tokens: number;
}

const kinds: Kinds<SamplingLimits> = {
  requests: count,
  tokens: count,
  depth: count,
  windowMs: {
    words: 'a whole number of milliseconds, at least 1, or Infinity',
    fits: value => value === Number.POSITIVE_INFINITY || count.fits(value),
  },
};
const defaults: SamplingLimits = { requests: 100, tokens: 500_000, depth: 20, windowMs: Number.POSITIVE_INFINITY };

/**
 * Opens an account for one server.
 * @param limits - 100 requests, 500,000 tokens, 20 turns, for as long as it lives, if absent
 * @param options - `clock`: any that never goes back
 * @throws TypeError for a limit that is unknown, or not a whole number above 0
 */
export function samplingBudget(
  limits: Partial<SamplingLimits>,
  options: { readonly clock: Pick<Clock, 'now'> },
): SamplingBudget {
  checkOptions('the sampling budget', limits, kinds);
  const bounds: SamplingLimits = { ...defaults, ...defined(limits) };
  let spends: Spend[] = [];
  const current = (now: number): readonly Spend[] => {
    spends = spends.filter(spend => now - spend.at < bounds.windowMs);
    return spends;
  };
  const judge = (request: SamplingRequest): BudgetVerdict => {
    const now = options.clock.now();
    return judgeSpend(bounds, current(now), request, now);
  };
  return {
    limits: bounds,
    spent: () => total(current(options.clock.now())),
    judge,
    take(request) {
      const verdict = judge(request);
      if (!verdict.ok) return verdict;
      const spend: Spend = { at: options.clock.now(), tokens: inputOf(request) + verdict.maxTokens };
      spends.push(spend);
      return {
        ok: true,
        maxTokens: verdict.maxTokens,
        settle: ({ inputTokens, outputTokens }) => {
          spend.tokens = inputTokens + outputTokens;
        },
      };
    },
  };
}

function judgeSpend(
  limits: SamplingLimits,
  spends: readonly Spend[],
  request: SamplingRequest,
  now: number,
): BudgetVerdict {
  const turns = request.messages.filter(message => blocksOf(message).some(block => block.type === 'tool_use')).length;
  if (turns > limits.depth)
    return refused(
      `This conversation holds ${counted(turns, 'turn')} of tool use; at most ${limits.depth} are allowed.`,
    );
  const { requests, tokens } = total(spends);
  if (requests >= limits.requests)
    return refused(
      `This server has used up its ${counted(limits.requests, 'sampling request')}${until(limits, spends, now)}.`,
    );
  const left = limits.tokens - tokens - inputOf(request);
  if (tokens >= limits.tokens)
    return refused(`This server has used up its ${counted(limits.tokens, 'token')}${until(limits, spends, now)}.`);
  if (left < 1)
    return refused(
      `This request alone is longer than the ${counted(limits.tokens - tokens, 'token')} this server has left${until(limits, spends, now)}.`,
    );
  return { ok: true, maxTokens: Math.min(request.maxTokens, left) };
}

const refused = (why: string): BudgetVerdict => ({ ok: false, why });

function total(spends: readonly Spend[]): SamplingSpent {
  return { requests: spends.length, tokens: spends.reduce((sum, spend) => sum + spend.tokens, 0) };
}

/** An estimate of what a prompt costs before it is counted: three characters per token, media at a flat rate. */
function inputOf(request: SamplingRequest): number {
  const media = 1_500;
  let tokens = 0;
  const text = JSON.stringify([request.systemPrompt, request.tools, request.messages], (key, value: unknown) => {
    if (key !== 'data' && key !== 'blob') return value;
    tokens += media;
    return undefined;
  });
  return tokens + Math.ceil(text.length / 3);
}

/** When the oldest run stops counting; empty if that never happens. */
function until(limits: SamplingLimits, spends: readonly Spend[], now: number): string {
  const oldest = spends[0];
  if (!oldest || limits.windowMs === Number.POSITIVE_INFINITY) return '';
  const seconds = Math.max(1, Math.ceil((oldest.at + limits.windowMs - now) / 1_000));
  return seconds < 120 ? `; ask again in ${seconds} s` : `; ask again in ${Math.ceil(seconds / 60)} minutes`;
}
