/**
 * Waits for answers that do not come through the client, for as long as a request may be held, sending signs of life meanwhile.
 * An answer that cannot be read now is one that is not known yet: the person may have given it, so the call goes on waiting.
 */

import { isMidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { pause, steadyNow } from '@midcall/core/time';
import type { OpenAsk } from '../engine/index.ts';
import { type ApartAsk, type Recording, unanswered } from '../questions/index.ts';
import { type CallRequest, type Config, detachedOf } from '../request/index.ts';
import { signsOfLife } from './signs-of-life.ts';

/** Milliseconds after which an answer that could not be read is looked for again. */
const AGAIN_MS = 10_000;

/** Milliseconds after which an answer is not looked for any more that could not be read when its time was up. */
const LATE_MS = 10 * 60_000;

/** The questions whose answer could not be read when it was last looked for. */
const unread = new WeakSet<ApartAsk>();

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
  const { clock } = config;
  const until = steadyNow(clock) + ms;
  const look = async (): Promise<Map<string, Recording>> => {
    const recordings = new Map<string, Recording>();
    for (const { id, detail } of asks) {
      const isLate = clock.now() >= detail.dueAt + LATE_MS;
      const recording = (await read(detail, config, 0)) ?? (isLate ? timedOut(detail, clock.now()) : undefined);
      if (recording) recordings.set(id, recording);
    }
    return recordings;
  };
  const { signal } = request.ctx.mcpReq;
  const first = await look();
  if (first.size > 0 || ms <= 0 || signal.aborted || stopping.aborted) return first;
  const done = new AbortController();
  const over = AbortSignal.any([signal, stopping, done.signal]);
  const message = (): string => signOf(asks);
  const tell = (): void => detachedOf(request.ctx)?.tell?.(message());
  const outcome = async ({ detail }: OpenAsk<ApartAsk>): Promise<void> => {
    for (let left = ms; left > 0 && !over.aborted; left = until - steadyNow(clock)) {
      await read(detail, config, left, over, tell);
      if (!unread.has(detail) || clock.now() >= detail.dueAt + LATE_MS) return;
      await pause(Math.min(until - steadyNow(clock), AGAIN_MS), clock, over);
    }
  };
  const quiet = signsOfLife(request, config, { message, atOnce: true });
  try {
    if (asks.some(({ detail }) => detail.inInbox)) tell();
    await Promise.race(asks.map(outcome));
  } finally {
    quiet();
    done.abort();
  }
  return signal.aborted ? new Map() : look();
}

/** @returns undefined while the outcome is not known, or cannot be read */
async function read(detail: ApartAsk, { warnOnce }: Config, ...how: Parameters<ApartAsk['collect']>) {
  try {
    const recording = await detail.collect(...how);
    // A wait that was given up has read nothing.
    if (recording || !how[1]?.aborted) unread.delete(detail);
    return recording;
  } catch (error) {
    if (!isMidcallError(error, 'store/unavailable')) throw error;
    unread.add(detail);
    const why = error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
    warnOnce(`${detail.channel} unread`, notRead(detail, why));
    return undefined;
  }
}

const notRead = ({ channel }: ApartAsk, why: string): string =>
  `midcall: answers by the channel '${channel}' cannot be read, so the calls that wait for them go on waiting: ${visible(why)}`;

/** What a call waits for, in words. */
export const signOf = (asks: readonly OpenAsk<ApartAsk>[]): string =>
  [...new Set(asks.map(({ detail }) => detail.sign()))].join(' ');

/**
 * What is recorded if a question cannot be waited for any longer: no answer in time, or none that could be read.
 * @param isAnswered - true if somebody has certainly answered it
 */
export const timedOut = (detail: ApartAsk, now: number, isAnswered = false): Recording =>
  unanswered(isAnswered || unread.has(detail) ? 'error' : 'timeout', Math.max(0, now - detail.askedAt));
