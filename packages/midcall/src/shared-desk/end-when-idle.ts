/** The end of a desk that runs in the background and that nobody uses any more. */
import type { Clock } from '@midcall/core/time';

/** Milliseconds between two looks at the desk, and how many times in a row it must be idle. */
const [lookMs, looks] = [60_000, 30];

/** Calls `end` once, when the desk has been idle for half an hour. */
export function endWhenIdle(isIdle: () => boolean, end: () => void, clock: Clock): void {
  let idle = 0;
  const look = (): void => {
    idle = isIdle() ? idle + 1 : 0;
    if (idle === looks) end();
    else clock.after(lookMs, look);
  };
  clock.after(lookMs, look);
}
