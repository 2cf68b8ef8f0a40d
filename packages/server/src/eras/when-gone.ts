/**
 * Notices that a request was cancelled or its client is gone. A listener costs as much as the rest of a short round, so a
 * signal gets one two turns of the event loop after the request arrived: in the first a run is found to be idle, and most rounds
 * have been sent by the second. A signal that fires earlier is noticed at the next turn.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { type CancelListener, Cancellation } from '../sdk-seam/index.ts';

/** The part of a context that tells it. */
type Told = Pick<ServerContext, 'mcpReq'>;

/** True once a request was cancelled, or its client is gone. */
export const isGone = ({ mcpReq }: Told): boolean => Cancellation.of(mcpReq)?.isCancelled ?? mcpReq.signal.aborted;

/** Why; undefined if it is not gone. */
export const reasonGone = ({ mcpReq }: Told): unknown => (Cancellation.of(mcpReq) ?? mcpReq.signal).reason;

/** The same for somebody who may look later. Reading the signal of a context would make it. */
export class GoneLater {
  readonly #ctx: Told;

  constructor(ctx: Told) {
    this.#ctx = ctx;
  }

  get aborted(): boolean {
    return isGone(this.#ctx);
  }
}

/** What `unwatch` takes to stop watching. */
export type GoneWatch = Cancellation | (() => void) | undefined;

/** Tells a listener once: at once if the request is gone already. */
export function watchGone({ mcpReq }: Told, listener: CancelListener): GoneWatch {
  const cancellation = Cancellation.of(mcpReq);
  if (cancellation?.isCancelled ?? mcpReq.signal.aborted) {
    listener.gone((cancellation ?? mcpReq.signal).reason);
    return undefined;
  }
  if (!cancellation) return whenAborted(mcpReq.signal, reason => listener.gone(reason));
  cancellation.listen(listener);
  return cancellation;
}

/** Nobody is told after that. */
export function unwatch(watch: GoneWatch): void {
  if (typeof watch === 'function') watch();
  else watch?.listen(undefined);
}

/** @returns a function that stops watching; nothing is called after that */
export function whenGone(ctx: Told, onGone: (reason: unknown) => void): () => void {
  const watch = watchGone(ctx, { gone: onGone });
  return () => unwatch(watch);
}

function whenAborted(signal: AbortSignal, onGone: (reason: unknown) => void): () => void {
  const aborted = (): void => onGone(signal.reason);
  let turn: NodeJS.Immediate | undefined = setImmediate(() => {
    turn = undefined;
    if (signal.aborted) aborted();
    else turn = setImmediate(listen);
  });
  const listen = (): void => {
    turn = undefined;
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  };
  return () => {
    // The SDK's signal also fires after every normal result.
    if (turn) clearImmediate(turn);
    else signal.removeEventListener('abort', aborted);
  };
}
