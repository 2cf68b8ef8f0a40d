/**
 * Notices that a request was cancelled or its client is gone. A listener costs as much as the rest of a short round, so a
 * signal gets one two turns of the event loop after the request arrived: in the first a run is found to be idle, and most rounds
 * have been sent by the second. A signal that fires earlier is noticed at the next turn.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { Cancellation } from '../sdk-seam/cancellation.ts';

/** The part of a context that tells it. */
type Told = Pick<ServerContext, 'mcpReq'>;

/** True once a request was cancelled, or its client is gone. */
export const isGone = ({ mcpReq }: Told): boolean => Cancellation.of(mcpReq)?.isCancelled ?? mcpReq.signal.aborted;

/** Why; undefined if it is not gone. */
export const reasonGone = ({ mcpReq }: Told): unknown => (Cancellation.of(mcpReq) ?? mcpReq.signal).reason;

/** @returns a function that stops watching; nothing is called after that */
export function whenGone(ctx: Told, onGone: (reason: unknown) => void): () => void {
  if (isGone(ctx)) {
    onGone(reasonGone(ctx));
    return () => {};
  }
  const cancellation = Cancellation.of(ctx.mcpReq);
  if (!cancellation) return whenAborted(ctx.mcpReq.signal, onGone);
  cancellation.listen(onGone);
  return () => cancellation.listen(undefined);
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
