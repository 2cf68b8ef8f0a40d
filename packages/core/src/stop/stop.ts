/**
 * How everything that serves is stopped: a server, a bridge, a desk.
 *
 * - stop-S1 New work is refused at once.
 * - stop-S2 Work that waits for a person is put to rest at once: it becomes or stays a task, leaves a ticket, or ends with words
 *   that say so.
 * - stop-S3 Other work may end within a time, and its result arrives.
 * - stop-S4 Whoever still waits then is told what was done, and what is in doubt.
 * - stop-S5 Only then are connections closed.
 */
import { type Kinds, notNegative } from '../options/index.ts';
import { type Clock, inTime, systemClock } from '../time/index.ts';

/** How something is stopped. */
export interface StopOptions {
  /** Milliseconds that work in progress may take to end; 10,000 if absent. */
  readonly within?: number;
}

/** The kinds of {@link StopOptions}. */
export const stopKinds: Kinds<StopOptions> = { within: notNegative };

/** One part of what is stopped. Several may stop it, so a second call of anything must be harmless. */
export interface StopPart {
  /** Refuses new work, and puts to rest what waits for a person (stop-S1, stop-S2). */
  begin(): void | Promise<void>;
  /** Resolves when no work is in progress, and everybody who waited has been answered (stop-S3). */
  idle(): Promise<void>;
  /** Answers whoever still waits (stop-S4). */
  end(): void;
  /** Closes connections and releases everything (stop-S5). */
  close(): Promise<void>;
}

/** Milliseconds that an answer may take to leave, and a connection to close, once time is up. */
const LEAVE_MS = 1_000;

/** Stops several parts together, and closes them in their order. @throws the first error with which one could not be closed */
export async function stopParts(
  parts: readonly StopPart[],
  { within = 10_000 }: StopOptions = {},
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<void> {
  await Promise.all(parts.map(part => part.begin()));
  await inTime(Promise.allSettled(parts.map(part => part.idle())), within, clock);
  for (const part of parts) {
    part.end();
    await inTime(Promise.allSettled([part.idle()]), LEAVE_MS, clock);
  }
  const failed: unknown[] = [];
  for (const part of parts)
    await inTime(
      part.close().catch((error: unknown) => failed.push(error)),
      LEAVE_MS,
      clock,
    );
  if (failed.length > 0) throw failed[0];
}

/** A part that has nothing in progress, and only has to be closed. */
export const closing = (close: () => unknown): StopPart => ({
  begin() {},
  idle: async () => {},
  end() {},
  close: async () => void (await close()),
});
