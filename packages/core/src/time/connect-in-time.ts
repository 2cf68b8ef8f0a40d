/**
 * Connecting to a server of one revision, within a time limit. The SDK takes a timeout of its first request to mean that a server
 * does not offer the revision, even if it was only slow to start; so the SDK's timeout is never reached, and ours is used.
 */
import { MAX_TIMER_MS } from './clock.ts';

/** One attempt to connect. */
export interface Attempt {
  connect(): Promise<void>;
  /** Closes what is being connected, so that `connect` ends. */
  giveUp(): Promise<unknown>;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Calls a function once after so many milliseconds. @returns a function that cancels it */
  after(ms: number, fn: () => void): () => void;
}

/** The timeout given to the SDK: the longest that a timer of Node can run. */
export const endlessProbe = { timeoutMs: MAX_TIMER_MS };

/** @throws what `connect` does, or an error with the code `REQUEST_TIMEOUT` if the time is up */
export async function connectInTime({ connect, giveUp, timeoutMs, after }: Attempt): Promise<void> {
  let isLate = false;
  const callOff = after(timeoutMs, () => {
    isLate = true;
    giveUp().catch(() => {});
  });
  try {
    await connect();
  } catch (cause) {
    if (!isLate) throw cause;
    throw Object.assign(new Error('The server did not answer in time.', { cause }), { code: 'REQUEST_TIMEOUT' });
  } finally {
    callOff();
  }
}
