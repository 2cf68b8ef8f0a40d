/**
 * Waits for answers that do not come through the client, for as long as a request may be held, sending signs of life meanwhile.
 */

import type { OpenAsk } from '../engine/index.ts';
import { type ApartAsk, type Recording, unanswered } from '../questions/index.ts';
import { type CallRequest, type Config, detachedOf } from '../request/index.ts';
import { signsOfLife } from './signs-of-life.ts';

/**
 * Waits until one of the questions is answered or its time is up, at most `ms`.
 * @param stopping - ends the wait, since this server stops
 * @returns the outcomes known by then, by ask; empty if there are none, or the client is gone
 */
export async function awaitApart(
  asks: readonly OpenAsk<ApartAsk>[],
  ms: number,
  request: CallRequest,
  config: Config,
  stopping: AbortSignal,
): Promise<ReadonlyMap<string, Recording>> {
  const look = async (): Promise<Map<string, Recording>> => {
    const recordings = new Map<string, Recording>();
    for (const { id, detail } of asks) {
      const recording = await detail.collect(0);
      if (recording) recordings.set(id, recording);
    }
    return recordings;
  };
  const { signal } = request.ctx.mcpReq;
  const first = await look();
  if (first.size > 0 || ms <= 0 || signal.aborted || stopping.aborted) return first;
  const done = new AbortController();
  const stop = () => done.abort();
  signal.addEventListener('abort', stop, { once: true });
  stopping.addEventListener('abort', stop, { once: true });
  const message = (): string => signOf(asks);
  const tell = (): void => detachedOf(request.ctx)?.tell?.(message());
  const quiet = signsOfLife(request, config, { message, atOnce: true });
  try {
    if (asks.some(({ detail }) => detail.inInbox)) tell();
    await Promise.race(asks.map(({ detail }) => detail.collect(ms, done.signal, tell)));
  } finally {
    quiet();
    done.abort();
    signal.removeEventListener('abort', stop);
    stopping.removeEventListener('abort', stop);
  }
  return signal.aborted ? new Map() : look();
}

/** What a call waits for, in words. */
export const signOf = (asks: readonly OpenAsk<ApartAsk>[]): string =>
  [...new Set(asks.map(({ detail }) => detail.sign()))].join(' ');

/** What is recorded if a question was not answered while it could be waited for. */
export const timedOut = ({ askedAt }: ApartAsk, now: number): Recording =>
  unanswered('timeout', Math.max(0, now - askedAt));
