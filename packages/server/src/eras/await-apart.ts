/**
 * Waits for answers that do not come through the client, for as long as a request may be held, sending signs of life meanwhile.
 */

import type { OpenAsk } from '../engine/index.ts';
import { type ApartAsk, type Recording, unanswered } from '../questions/index.ts';
import type { CallRequest, Config } from '../request/index.ts';
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
      else if (config.clock.now() >= detail.dueAt) recordings.set(id, timedOut(detail, config.clock.now()));
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
  const quiet = signsOfLife(request, config, { message: asks[0]?.detail.sign ?? '', atOnce: true });
  try {
    const left = Math.min(ms, ...asks.map(({ detail }) => Math.max(1, detail.dueAt - config.clock.now())));
    await Promise.race(asks.map(({ detail }) => detail.collect(left, done.signal)));
  } finally {
    quiet();
    done.abort();
    signal.removeEventListener('abort', stop);
    stopping.removeEventListener('abort', stop);
  }
  return signal.aborted ? new Map() : look();
}

/** What is recorded if a question was not answered while it could be waited for. */
export const timedOut = ({ askedAt }: ApartAsk, now: number): Recording =>
  unanswered('timeout', Math.max(0, now - askedAt));
