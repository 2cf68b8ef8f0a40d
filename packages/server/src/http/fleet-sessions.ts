/** The sessions of an endpoint that several replicas serve, with the limits that its own would have. */
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Fleet, FleetServing } from './fleet.ts';
import type { HttpSessionsOptions } from './sessions.ts';

export function fleetSessions(fleet: Fleet, factory: McpServerFactory, options: HttpSessionsOptions): FleetServing {
  const { idleMs = 30 * 60_000, max = 1_000, maxPerOwner = 100, maxCalls = 1_000, onError } = options;
  return fleet.attach({
    factory,
    idleMs,
    max,
    maxPerOwner: options.tellsOwnersApart ? maxPerOwner : Number.POSITIVE_INFINITY,
    maxCalls,
    maxEvents: options.events?.maxEvents ?? 1_000,
    onError: error => onError?.(error instanceof Error ? error : new Error(String(error))),
  });
}
