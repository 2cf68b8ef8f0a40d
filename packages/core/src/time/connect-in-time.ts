/**
 * Connecting to a server of one revision, for so long and no longer. The SDK's own time for the first request says of a
 * server that was slow to start that it does not offer the revision; so that time never runs out, and ours does.
 */

/** One attempt. */
export interface Attempt {
  connect(): Promise<void>;
  /** Closes what is being connected, so that `connect` ends. */
  giveUp(): Promise<unknown>;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Calls a function once after so many milliseconds. @returns calls it off */
  after(ms: number, fn: () => void): () => void;
}

/** What the SDK is told of its own time: as long as a timer of Node runs. */
export const endlessProbe = { timeoutMs: 2 ** 31 - 1 };

/** @throws what `connect` does, or an error with the code `REQUEST_TIMEOUT` where the time is up */
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
