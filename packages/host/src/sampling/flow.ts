/**
 * Sampling, with the person in the middle: the request is shown and may be edited before a model sees it, the reply is shown
 * and may be edited before the server sees it. A budget limits what each server may spend without being seen.
 */

import { isMidcallError, MidcallError } from '@midcall/core/errors';
import {
  blocksOf,
  checkRequest,
  checkResult,
  describeIssues,
  type ModelChoice,
  type ModelReply,
  type SamplingContent,
  type SamplingModel,
  type SamplingRequest,
  type SamplingResult,
  textOf,
} from '@midcall/core/sampling';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { Asking } from '../asking/index.ts';
import { samplesSingleBlock } from '../base/index.ts';
import type { TappedRequest } from '../calls/index.ts';
import type { Ending, SamplingPrompt } from '../question/index.ts';
import { type SamplingBudget, type SamplingLimits, type SamplingSpent, samplingBudget } from './budget.ts';
import { wishesOf } from './wishes.ts';

export interface SamplingFlowOptions {
  readonly asking: Asking;
  readonly model: SamplingModel;
  readonly newId: () => string;
  /** Default: 100 requests, 500,000 tokens, 20 turns of tool use, for as long as the connection lives. */
  readonly budget?: Partial<SamplingLimits>;
}

/** The spec's code for a request that the person refused (2025-11-25, client/sampling, "Error Handling"). */
const userRejected = -1;

/** Why a model runs that the person chose instead of the proposed one. */
const byPerson = 'you chose it';

/** What one server may spend on the person's models, and has spent. */
export interface SamplingAccount {
  readonly spent: SamplingSpent;
  readonly limits: SamplingLimits;
}

/** The sampling of one connection. */
export class SamplingFlow {
  readonly #options: SamplingFlowOptions;
  readonly #budget: SamplingBudget;

  constructor(options: SamplingFlowOptions) {
    this.#options = options;
    this.#budget = samplingBudget(options.budget ?? {}, { clock: { now: () => options.asking.steadyNow() } });
  }

  get account(): SamplingAccount {
    return { spent: this.#budget.spent(), limits: this.#budget.limits };
  }

  /**
   * Answers one sampling request.
   * @throws ProtocolError with the spec's code (2025-11-25); MidcallError `host/invalid-request` or `host/abandoned`
   *   (2026-07-28, if there is nothing to send an error to)
   */
  async answer(tapped: TappedRequest, signal: AbortSignal): Promise<SamplingResult> {
    const { model } = this.#options;
    const capability = model.tools ? { tools: {} } : {};
    const checked = checkRequest(tapped.params, capability);
    if (!checked.ok) throw this.#invalid(tapped, describeIssues(checked.issues));
    const verdict = this.#budget.judge(checked.value);
    if (!verdict.ok) throw this.#refuse(tapped, 'policy', verdict.why);
    const choice = await this.#failing(tapped, signal, async () => model.choose(checked.value));
    const ignored = [...checked.ignored, ...choice.leftOut];

    const consent = await this.#consent(tapped, checked.value, choice, ignored, signal);
    if (consent.how !== 'answered') throw this.#refusal(consent);
    const { model: other, ...edits } = consent.content ?? {};
    const chosen = typeof other === 'string' && other !== choice.name ? { name: other, why: byPerson } : choice;
    const request = checkRequest({ ...checked.value, ...edits }, capability);
    if (!request.ok)
      throw this.#refuse(tapped, 'host', `The edited request breaks the rules: ${describeIssues(request.issues)}`);

    const run = this.#budget.take(request.value);
    if (!run.ok) throw this.#refuse(tapped, 'policy', run.why);
    const granted = { ...request.value, maxTokens: run.maxTokens };
    const call = tapped.call && { call: tapped.call.context.id };
    const reply = await this.#failing(tapped, signal, () =>
      model.run(granted, { signal, model: chosen.name, ...call }),
    );
    run.settle(reply.usage);

    const single = samplesSingleBlock(this.#options.asking.asker().era) && !request.value.tools;
    const forReview = single ? singleBlock(reply.result) : reply.result;
    const replied = { ...reply, result: forReview, prompt: promptOf(granted) };
    const review = await this.#review(tapped, replied, chosen.why, signal, consent.via);
    if (review.how !== 'answered') throw this.#refusal(review);
    const result = checkResult(withContent(forReview, review.content?.['content']), request.value);
    if (!result.ok) throw this.#refuse(tapped, 'host', `The reply breaks the rules: ${describeIssues(result.issues)}`);
    return single ? singleBlock(result.value) : result.value;
  }

  get #byHand(): { readonly byHand?: true } {
    return this.#options.model.byHand === true ? { byHand: true } : {};
  }

  #consent(
    tapped: TappedRequest,
    request: SamplingRequest,
    model: ModelChoice,
    ignored: readonly string[],
    signal: AbortSignal,
  ): Promise<Ending> {
    const { id, call } = tapped;
    return this.#options.asking.put({ id, subject: 'sampling', call, signal }, frame => ({
      ...frame,
      kind: 'sampling-request',
      model: { name: model.name, why: model.why, ...this.#byHand },
      models: this.#options.model.names,
      ...promptOf(request),
      ignored,
    }));
  }

  /**
   * The reply is shown unless a decision allowed the request: then the request was not looked at either. A reply that a person
   * writes is always shown.
   */
  async #review(
    tapped: TappedRequest,
    { result, notes, prompt, byHand }: Omit<ModelReply, 'usage'> & { readonly prompt: SamplingPrompt },
    why: string,
    signal: AbortSignal,
    via: string,
  ): Promise<Ending> {
    const hand = byHand === false ? {} : this.#byHand;
    if (via === 'policy' && !hand.byHand) return { how: 'answered', via };
    const { asking, newId } = this.#options;
    const call = tapped.call;
    return asking.ask(
      { call, signal },
      {
        id: newId(),
        kind: 'sampling-reply',
        asker: asking.asker(),
        ...(call && { call: call.context }),
        askedAt: asking.now(),
        model: { name: result.model, why, ...hand },
        prompt,
        content: blocksOf(result).map(asRecord),
        ...(result.stopReason !== undefined && { stopReason: result.stopReason }),
        notes,
      },
    );
  }

  /** A foreign error may contain a key or a prompt, so its message is not passed on. */
  async #failing<T>(tapped: TappedRequest, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted) throw error;
      if (isMidcallError(error, 'sampling/refused')) {
        this.#options.asking.refused('sampling', 'host', error.message, tapped.call?.context);
        throw this.#rejected(error.message);
      }
      throw this.#refuse(tapped, 'host', isMidcallError(error) ? error.message : 'The model failed.');
    }
  }

  #invalid(tapped: TappedRequest, why: string): Error {
    const { asking } = this.#options;
    asking.refused('sampling', 'host', why, tapped.call?.context);
    return asking.unanswered(
      new ProtocolError(ProtocolErrorCode.InvalidParams, why),
      new MidcallError('host/invalid-request', `The server sent a sampling request that cannot be answered: ${why}`),
    );
  }

  #refuse(tapped: TappedRequest, by: 'host' | 'policy', why: string): Error {
    this.#options.asking.refused('sampling', by, why, tapped.call?.context);
    return this.#rejected(why, by === 'host');
  }

  #refusal(ending: Exclude<Ending, { how: 'answered' }>): Error {
    return this.#rejected(
      ending.how === 'refused-by-policy' ? ending.decision : 'The sampling request was not approved.',
    );
  }

  /**
   * The error for a server or, if nothing can be sent, for the call. A failure of the host is not presented as the person's
   * refusal; only the person is told which model failed, and why.
   */
  #rejected(why: string, failed = false): Error {
    const toServer = failed
      ? new ProtocolError(ProtocolErrorCode.InternalError, 'The sampling request could not be completed')
      : new ProtocolError(userRejected, 'User rejected sampling request');
    const ended = new MidcallError(
      'host/abandoned',
      `${why} The call was given up. What it did before it asked stays done; run it again to be asked again.`,
    );
    return this.#options.asking.unanswered(toServer, ended);
  }
}

const promptOf = (request: SamplingRequest): SamplingPrompt => ({
  ...(request.systemPrompt !== undefined && { systemPrompt: request.systemPrompt }),
  messages: request.messages.map(({ role, content }) => ({ role, content: blocksOf({ content }).map(asRecord) })),
  maxTokens: request.maxTokens,
  tools: (request.tools ?? []).map(tool => tool.name),
  wishes: wishesOf(request),
});

const asRecord = (block: SamplingContent): Readonly<Record<string, unknown>> => ({ ...block });

function withContent(result: SamplingResult, content: unknown): unknown {
  if (!Array.isArray(content)) return result;
  return { ...result, content: content.length === 1 ? content[0] : content };
}

/**
 * A sampling result as one block: all its text, or its first block if it has no text. On 2025-11-25 the SDK refuses several
 * blocks if the request offered no tools, although the revision's schema allows them; the server would get an error.
 */
export function singleBlock(result: SamplingResult): SamplingResult {
  if (!Array.isArray(result.content)) return result;
  const blocks = blocksOf(result);
  const first = blocks.some(block => block.type === 'text') ? undefined : blocks[0];
  return { ...result, content: first ?? { type: 'text', text: textOf(result) } };
}
