export { batchRefusal } from './body.ts';
export type { Fleet, FleetRequest, Sender } from './fleet.ts';
export type { Refusal } from './refusal.ts';
