/**
 * Notices that a request was cancelled or its client is gone.
 */
import type { ServerContext } from '@modelcontextprotocol/server';

/** The part of a context that tells it. */
type Told = Pick<ServerContext, 'mcpReq'>;

/** True once a request was cancelled, or its client is gone. */
export const isGone = ({ mcpReq }: Told): boolean => mcpReq.signal.aborted;

/** Why; undefined if it is not gone. */
export const reasonGone = ({ mcpReq }: Told): unknown => mcpReq.signal.reason;

/**
 * Calls `onGone` once: at once if the request is gone already.
 * @returns a function that stops watching; nothing is called after that
 */
export function whenGone({ mcpReq: { signal } }: Told, onGone: (reason: unknown) => void): () => void {
  const aborted = (): void => onGone(signal.reason);
  if (signal.aborted) aborted();
  else signal.addEventListener('abort', aborted, { once: true });
  return () => signal.removeEventListener('abort', aborted);
}
