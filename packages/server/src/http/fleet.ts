/** A fleet as an endpoint sees it: it serves the sessions of its clients, whichever process they were opened in. */
import { asError } from '@midcall/core/errors';
import type { StopPart } from '@midcall/core/stop';
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server';
import type { Refusal } from './refusal.ts';
import { type HttpSessionsOptions, withDefaults } from './sessions.ts';

/** An endpoint's settings for its sessions. */
export interface FleetHost {
  readonly factory: McpServerFactory;
  /** Milliseconds a session may be unused. */
  readonly idleMs: number;
  /** The maximum number of sessions of the fleet. */
  readonly max: number;
  /** The maximum number of sessions of one owner; infinite if owners are not distinguished. */
  readonly maxPerOwner: number;
  /** The maximum number of requests in progress of one session. */
  readonly maxCalls: number;
  /** Events that a stream keeps for clients that reconnect. */
  readonly maxEvents: number;
  readonly onError: (error: unknown) => void;
}

/** A request and its sender. */
export interface Sender {
  readonly auth: AuthInfo | undefined;
  readonly request: Request;
}

/** One HTTP request on its way to a session. */
export interface FleetRequest extends Sender {
  readonly body: unknown;
  /** The sender, as one string; empty if unknown. */
  readonly owner: string;
}

/** Sessions as this replica serves them. When it stops, calls that wait for their clients are released to other replicas. */
export interface FleetServing extends StopPart {
  readonly size: number;
  serve(request: FleetRequest): Promise<Response | Refusal>;
  /** @throws MidcallError `store/unavailable` or `server/setup` if this replica cannot serve now */
  ready(): Promise<void>;
}

/** The replicas that serve one endpoint together; see `redisFleet`. */
export interface Fleet {
  attach(host: FleetHost): FleetServing;
}

/** The sessions of an endpoint that several replicas serve, with the limits that its own would have. */
export function fleetSessions(fleet: Fleet, factory: McpServerFactory, options: HttpSessionsOptions): FleetServing {
  const { idleMs, max, maxPerOwner, maxCalls, onError } = withDefaults(options);
  return fleet.attach({
    factory,
    idleMs,
    max,
    maxPerOwner: options.tellsOwnersApart ? maxPerOwner : Number.POSITIVE_INFINITY,
    maxCalls,
    maxEvents: options.events?.maxEvents ?? 1_000,
    onError: error => onError?.(asError(error)),
  });
}
