/**
 * Sends progress to a client that asked for it: what the handler reports, and signs that the call is alive while a person is
 * thinking, since many clients abandon a call after a minute without one (basic/utilities/progress, "Behavior Requirements":
 * the number only increases, whatever is waited for).
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { type CallRequest, type Config, sharedCallOf } from '../request/index.ts';

/** Milliseconds between two signs. */
const EVERY_MS = 10_000;
/** What a sign adds to the handler's own number. */
const SLIGHTLY = 1e-6;

interface LastProgress {
  readonly progress: number;
  /** The scale of the handler's own numbers, next to which one of our signs is negligible. */
  readonly byHandler?: boolean;
}

const lastTold = new WeakMap<object, LastProgress>();

export interface Signs {
  /** What the call is waiting for, without a word of the question. */
  readonly message: () => string;
  /** True to give the first sign at once, which opens the stream of a response. */
  readonly atOnce?: boolean;
}

/** A receiver of a call's progress. */
export type Listener = Pick<CallRequest, 'server' | 'ctx'>;

const toldOf = ({ server, ctx }: Listener): LastProgress =>
  lastTold.get(ctx.mcpReq) ?? { progress: sharedCallOf(server, ctx)?.progress ?? 0 };

function send(
  { mcpReq }: ServerContext,
  now: LastProgress,
  rest: { readonly message?: string; readonly total?: number },
): void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  lastTold.set(mcpReq, now);
  const params = { progressToken, progress: now.progress, ...rest };
  // A disconnected client is noticed by the request's signal.
  mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
}

/** @returns a function that stops them */
export function signsOfLife(request: CallRequest, config: Config, { message, atOnce }: Signs): () => void {
  if (request.ctx.mcpReq._meta?.progressToken === undefined) return () => {};
  const tell = () => {
    const before = toldOf(request);
    const progress = before.progress + (before.byHandler ? SLIGHTLY : 1);
    send(request.ctx, { ...before, progress }, { message: message() });
    stop = config.clock.after(EVERY_MS, tell);
  };
  let stop = atOnce ? () => {} : config.clock.after(EVERY_MS, tell);
  if (atOnce) tell();
  return () => stop();
}

/** Passes on a handler's progress; a number that does not increase is raised. */
export function tellProgress(
  request: Listener,
  proposed: number,
  { total, message }: { readonly total?: number; readonly message?: string },
): void {
  const before = toldOf(request).progress;
  const progress = proposed > before ? proposed : before + SLIGHTLY;
  const rest = {
    ...(total !== undefined && total >= progress && { total }),
    ...(message !== undefined && { message }),
  };
  send(request.ctx, { progress, byHandler: true }, rest);
}
