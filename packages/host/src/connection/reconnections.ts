/**
 * When a broken stream of a server is opened again. The server says how soon, and may end every stream at once: a client that
 * obeyed would do nothing but connect.
 */
import type { Clock } from '@midcall/core/time';

/** How many reconnections in a row may come as soon as the server wants: all calls of a busy connection may break together. */
const mostAtOnce = 100;
/** After that, each waits at least this long, in milliseconds. */
const leastMs = 1_000;
/** Milliseconds without a reconnection, after which the count begins again. */
const calmMs = 10_000;
/** How many milliseconds a server may keep a client waiting. */
const mostMs = 300_000;

/** Schedules reconnections as the SDK's transport wants them. @returns a scheduler: it returns a function that cancels */
export function pacedReconnections(clock: Clock): (reconnect: () => void, delayMs: number) => () => void {
  let [count, last] = [0, 0];
  return (reconnect, delayMs) => {
    const now = clock.now();
    count = now - last > calmMs ? 1 : count + 1;
    last = now;
    const least = count > mostAtOnce ? leastMs : 0;
    return clock.after(Math.min(Math.max(delayMs, least), mostMs), reconnect);
  };
}
