export { type Clock, clockKind, idleClock, MAX_TIMER_MS, nowKind, systemClock } from './clock.ts';
export type { Attempt } from './connect-in-time.ts';
export { connectInTime, endlessProbe } from './connect-in-time.ts';
export { dateFormat, machineZone } from './date-format.ts';
export { steadyNow } from './steady-now.ts';
export { spelledOffset, zoneOffset } from './zone-offset.ts';
