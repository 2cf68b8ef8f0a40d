/** A fleet as an endpoint sees it: what serves the sessions of its clients, whatever process they were opened in. */
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Refusal } from '../http/refusal.ts';
import type { FleetRequest } from './fleet-sessions.ts';

/** What an endpoint says of its sessions. */
export interface FleetHost {
  readonly factory: McpServerFactory;
  /** Milliseconds a session may lie unused. */
  readonly idleMs: number;
  /** The most sessions of the fleet. */
  readonly max: number;
  /** The most sessions of one owner; infinite where owners are not told apart. */
  readonly maxPerOwner: number;
  /** The most requests in progress of one session. */
  readonly maxCalls: number;
  /** Events that a stream keeps for clients that connect again. */
  readonly maxEvents: number;
  readonly onError: (error: unknown) => void;
}

/** Sessions as this replica serves them. */
export interface FleetServing {
  readonly size: number;
  serve(request: FleetRequest): Promise<Response | Refusal>;
  /** @throws MidcallError `store/unavailable` or `server/setup` if this replica cannot serve now */
  ready(): Promise<void>;
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** The replicas that serve one endpoint together; see `redisFleet`. */
export interface Fleet {
  attach(host: FleetHost): FleetServing;
}
