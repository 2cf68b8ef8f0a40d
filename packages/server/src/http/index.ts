export { batchRefusal } from './body.ts';
export type { Fleet, FleetRequest, Sender } from './fleet.ts';
export { everySession, noSession, type Refusal, sameId, sessionGone, tooMany, withdrawn } from './refusal.ts';
