export {
  type Clock,
  clockKind,
  idleClock,
  MAX_DATE_MS,
  MAX_TIMER_MS,
  nowKind,
  steadyNow,
  systemClock,
} from './clock.ts';
export type { Attempt } from './connect-in-time.ts';
export { connectInTime, endlessProbe } from './connect-in-time.ts';
export { dateFormat, machineZone, minuteInUtc, spelledOffset, zoneOffset } from './date-format.ts';
export { inTime, pause, runInTime } from './in-time.ts';
export { onAbort, untilAborted } from './on-abort.ts';
