export { type DriverOutcome, withSteps } from './driver-outcome.ts';
export { begins, interrupted, type OpenedCall, openRetry, openShared } from './open-retry.ts';
export { leaveInResult, park, parkForRounds } from './park.ts';
export { runByPush } from './push.ts';
export { received } from './received.ts';
export { runByRounds } from './rounds.ts';
export { type Listener, tellProgress } from './signs-of-life.ts';
export { checkTicket, dropTicket, lookAtTicket, openByTicket, readTicket } from './ticket.ts';
