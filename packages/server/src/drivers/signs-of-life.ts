/**
 * Tells a client that asked for progress how far its call is: what the handler says, and that the call is alive while a person
 * is thinking, since many clients give a call up after a minute without a sign (basic/utilities/progress, "Behavior
 * Requirements": the number only grows, whatever is waited for).
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallRequest } from '../call/request.ts';
import { sharedCallOf } from '../call/shared-call.ts';
import type { Config } from '../config.ts';

/** Milliseconds between two signs. */
const EVERY_MS = 10_000;
/** What a sign adds to a number of the handler's own. */
const SLIGHTLY = 1e-6;

interface LastProgress {
  readonly progress: number;
  /** Of the handler's own numbers, beside which a sign of ours hardly counts. */
  readonly byHandler?: boolean;
}

const lastTold = new WeakMap<object, LastProgress>();

export interface Signs {
  /** What is waited for, without a word of the question. */
  readonly message: string;
  /** True to give the first sign at once, which opens the stream of a response. */
  readonly atOnce?: boolean;
}

/** Whoever hears of a call. */
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
  // A client that is gone is noticed by the signal of the request.
  mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
}

/** @returns what ends them */
export function signsOfLife(request: CallRequest, config: Config, options: Signs): () => void {
  return request.ctx.mcpReq._meta?.progressToken === undefined ? nothing : signs(request, config, options);
}

const nothing = (): void => {};

function signs(request: CallRequest, config: Config, { message, atOnce }: Signs): () => void {
  const tell = () => {
    const before = toldOf(request);
    const progress = before.progress + (before.byHandler ? SLIGHTLY : 1);
    send(request.ctx, { ...before, progress }, { message });
    stop = config.clock.after(EVERY_MS, tell);
  };
  let stop = atOnce ? () => {} : config.clock.after(EVERY_MS, tell);
  if (atOnce) tell();
  return () => stop();
}

/** Passes on what a handler says of its progress; a number that does not grow is made to. */
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
