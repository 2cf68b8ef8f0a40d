/** Waiting for what somebody tells of: no clock decides, and nothing is looked at in between. */
import type { Clock } from '@midcall/host';
import type { handClock } from '../host/clock.ts';

const waiting = new Set<() => void>();
let due = false;

/** Something has happened: whoever waits looks again, once it is done. */
export function ring(): void {
  if (due) return;
  due = true;
  setImmediate(() => {
    due = false;
    for (const look of [...waiting]) look();
  });
}

/** Resolves when something is so, which is looked at whenever somebody rings. */
export function until(so: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      try {
        if (!so()) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      waiting.delete(look);
    };
    waiting.add(look);
    look();
  });
}

type HandClock = ReturnType<typeof handClock>;

/** A clock that rings when somebody begins to wait for it, and when nobody does any more. */
export const ringing = (clock: Clock): Clock => ({
  now: () => clock.now(),
  after(ms, fn) {
    const callOff = clock.after(ms, () => {
      fn();
      ring();
    });
    ring();
    return () => {
      callOff();
      ring();
    };
  },
});

/** Half a second, which a server of 2025-11-25 is given to ask for roots before the first call. */
const rootsMs = 500;

/** The same for a call that has to go out first. */
export const untilAfterRoots = (clock: HandClock, so: () => boolean): Promise<void> =>
  until(() => {
    if (clock.left.includes(rootsMs)) clock.move(rootsMs);
    return so();
  });

/** Resolves when somebody waits so long, or as many as that. */
export const untilArmed = (clock: HandClock, ms: number, times = 1): Promise<void> =>
  until(() => clock.left.filter(left => left === ms).length === times);
