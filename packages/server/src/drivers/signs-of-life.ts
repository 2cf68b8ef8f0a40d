/**
 * Tells a client that asked for progress that its call is alive while a person is thinking: many clients give a call up after
 * a minute without a sign (basic/utilities/progress, "Behavior Requirements": the number only grows, whatever is waited for).
 */
import type { Config } from '../config.ts';
import type { CallRequest } from '../request.ts';
import { sharedCallOf } from '../shared-call.ts';

/** Milliseconds between two signs. */
const EVERY_MS = 10_000;

const told = new WeakMap<object, number>();

export interface Signs {
  /** What is waited for, without a word of the question. */
  readonly message: string;
  /** True to give the first sign at once, which opens the stream of a response. */
  readonly atOnce?: boolean;
}

/** @returns what ends them */
export function signsOfLife(request: CallRequest, config: Config, { message, atOnce }: Signs): () => void {
  const { mcpReq } = request.ctx;
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const tell = () => {
    const progress = (told.get(mcpReq) ?? sharedCallOf(request.server, request.ctx)?.progress ?? 0) + 1;
    told.set(mcpReq, progress);
    // A client that is gone is noticed by the signal of the request.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
    stop = config.timer(tell, EVERY_MS);
  };
  let stop = atOnce ? () => {} : config.timer(tell, EVERY_MS);
  if (atOnce) tell();
  return () => stop();
}
