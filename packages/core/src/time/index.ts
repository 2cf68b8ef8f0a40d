export { type Clock, clockKind, later, systemClock } from './clock.ts';
export type { Attempt } from './connect-in-time.ts';
export { connectInTime, endlessProbe } from './connect-in-time.ts';
export { dateFormat, machineZone } from './date-format.ts';
export { spelledOffset, zoneOffset } from './zone-offset.ts';
