/**
 * The seam between whoever decides about a sampling request (a host's consent flow, or a server whose operator gave it a
 * model) and whatever runs it. `modelRouter` of `@midcall/server/models` is one such model; a test passes its own.
 */
import type { SamplingRequest, SamplingResult } from './wire.ts';

/** Which model would run a request, and why; shown to the person before anything is sent. */
export interface ModelChoice {
  readonly name: string;
  /** A plain sentence. */
  readonly why: string;
  /** The parts of the request that this model will not get, one plain sentence each. */
  readonly leftOut: readonly string[];
}

/** The cost of a run, in tokens. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True if the provider did not say and the numbers are counted from the text. */
  readonly estimated: boolean;
}

/** The result of running a model. */
export interface ModelReply {
  readonly result: SamplingResult;
  readonly usage: ModelUsage;
  /** What the person should know about the run, one plain sentence each; such as a setting the provider dropped. */
  readonly notes: readonly string[];
  /** False if a model wrote this reply although most are written by hand, as {@link SamplingModel.byHand} says. */
  readonly byHand?: false;
}

/** Answers sampling requests: chooses a model and runs it. */
export interface SamplingModel {
  /** The available models, in the operator's order; each may be passed to `run`. */
  readonly names: readonly string[];
  /** True if at least one model takes tools: whether `sampling.tools` may be declared. */
  readonly tools: boolean;
  /** True if the person writes the replies; views then say so, and its own replies are there to be written over. */
  readonly byHand?: boolean;
  /**
   * Picks a model without calling any. Pure: the same request gets the same choice.
   * @throws MidcallError `sampling/unavailable` if no model can take the request
   */
  choose(request: SamplingRequest): ModelChoice;
  /**
   * Runs a checked request once.
   * @param options - `signal`: stops the run, which then rejects with the signal's reason; `model`: one of `names`, if the
   *   person prefers another than `choose` picks; `call`: the id of the host's call it belongs to, if known
   * @throws MidcallError `sampling/unavailable` (the provider failed), `sampling/limit` (its quota), `sampling/refused` (a
   *   person behind it said no) or `sampling/invalid` (its reply breaks the request's rules), in plain words without secrets
   */
  run(
    request: SamplingRequest,
    options: { readonly signal: AbortSignal; readonly model?: string; readonly call?: string },
  ): Promise<ModelReply>;
}
