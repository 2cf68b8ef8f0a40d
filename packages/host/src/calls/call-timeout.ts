/**
 * A limit on how long a server may work on a call, which does not count the time that a person takes. The SDK's own limit (60 s
 * by default) keeps running while a question is open; this one is paused.
 */
import { type Clock, steadyNow } from '@midcall/core/time';

/** One limit, running from the start. */
export interface CallTimeout {
  /** Paused until the returned function is called; pauses nest. */
  pause(): () => void;
  /** The server showed activity: the limit starts again. */
  renew(): void;
  /** The call is over. */
  stop(): void;
}

/** The limit of all calls that have none. */
const noLimit: CallTimeout = { pause: () => () => {}, renew: () => {}, stop: () => {} };

/**
 * Starts a limit.
 * @param limitMs - milliseconds of the server's own time; Infinity for no limit
 * @param onExpired - called once when the limit is reached
 */
export function callTimeout(limitMs: number, clock: Clock, onExpired: () => void): CallTimeout {
  if (!Number.isFinite(limitMs)) return noLimit;
  let left = limitMs;
  let pauses = 0;
  let since = steadyNow(clock);
  let cancel: (() => void) | undefined;
  let over = false;

  const run = (): void => {
    if (over || pauses > 0) return;
    since = steadyNow(clock);
    cancel = clock.after(left, () => {
      over = true;
      onExpired();
    });
  };
  const hold = (): void => {
    if (cancel) left = Math.max(0, left - (steadyNow(clock) - since));
    cancel?.();
    cancel = undefined;
  };

  run();
  return {
    pause() {
      hold();
      pauses += 1;
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        pauses -= 1;
        run();
      };
    },
    renew() {
      hold();
      left = limitMs;
      run();
    },
    stop() {
      hold();
      over = true;
    },
  };
}
