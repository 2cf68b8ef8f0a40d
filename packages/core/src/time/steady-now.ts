/** Time for durations within one process: a correction of the system's time neither shortens nor lengthens them. */
import { type Clock, idleClock, systemClock } from './clock.ts';

/**
 * Milliseconds from an arbitrary start. They stand still while the machine sleeps, and mean nothing to another process: what is
 * stored or sent takes `clock.now()`.
 * @param clock - read as it is if it is not this machine's own
 */
export const steadyNow = (clock: Pick<Clock, 'now'>): number =>
  clock === systemClock || clock === idleClock ? performance.now() : clock.now();
