/** `@midcall/server/fleet`: several replicas that serve one endpoint together. */

export type { StopPart } from '@midcall/core/stop';
export type { Fleet, FleetHost, FleetRequest, FleetServing } from '../http/fleet.ts';
export type { FleetConnection, RedisClient } from './commands.ts';
export { type RedisFleetOptions, redisFleet } from './redis-fleet.ts';
export { type RedisJobsOptions, redisJobs } from './redis-jobs.ts';
export { type Owners, type RedisOwnersOptions, redisOwners } from './redis-owners.ts';
export { type RedisWakeOptions, redisWake } from './redis-wake.ts';
