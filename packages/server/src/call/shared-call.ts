/**
 * A call of a 2025-11-25 session that another process may go on with: what of it lies outside this process, and by which right
 * this one runs it. Whoever keeps sessions for several processes shares a call before its request reaches the server.
 */
import type { Store } from '@midcall/core/store';
import type { McpServer, Server, ServerContext } from '@modelcontextprotocol/server';
import type { Json } from '../digest.ts';
import type { Entry, Journal } from '../engine/journal.ts';
import { KeptWith } from '../kept-with.ts';
import type { Principal } from '../principal.ts';
import type { AskingMethod, RawParams } from './request.ts';

/** Whose call it is. */
export interface Caller {
  /** A digest of everything that an answer is bound to. */
  readonly binding: string;
  readonly principal: Principal | undefined;
}

/** Where a call stands. */
export interface Shared {
  /** As it was when the call was first opened. */
  readonly caller: Caller;
  readonly journal: Journal;
  /** What it came to, where that is known already. */
  readonly earlier?: SharedOutcome;
}

/** A question on its way to the client. */
export interface SharedAsk {
  /** As the engine names it. */
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds the person has. */
  readonly timeoutMs: number;
}

/** A question that has been put, now or by an earlier holder of the call. */
export interface PutAsk {
  /** True if this process is the first to put it. */
  readonly fresh: boolean;
  /** Milliseconds since it was put. */
  readonly elapsedMs: number;
  /** The client's response; rejects with `HandedOver` where the call is somebody else's from now on. */
  readonly answer: Promise<{ readonly response: SharedResponse; readonly ms: number }>;
}

/** What a call came to. */
export type SharedOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code?: number; readonly message: string } };

/** A JSON-RPC response, as it came. */
export type SharedResponse =
  | { readonly result: Json }
  | { readonly error: { readonly code?: unknown; readonly message?: unknown } };

export interface SharedCall {
  /** Names the call, the same in every process. */
  readonly flow: string;
  /** True for the process that took the request. */
  readonly first: boolean;
  /** Where steps are written. */
  readonly stepStore: Store;
  /** Milliseconds for which they are. */
  readonly keptMs: number;
  /** Progress that an earlier holder may have told. */
  readonly progress: number;
  open(caller: Caller): Promise<Shared>;
  /** Asked before anything is started; false once somebody else has taken the call. */
  holds(): Promise<boolean>;
  put(ask: SharedAsk, signal: AbortSignal): Promise<PutAsk>;
  /** Keeps what came of questions. @returns false if the call is somebody else's */
  record(entries: readonly Entry[]): Promise<boolean>;
  /** Keeps what the call came to. @returns false if the call is somebody else's */
  settle(outcome: SharedOutcome): Promise<boolean>;
}

/** This process runs the call no more: another does, or will. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver';

  constructor() {
    super('Another process goes on with this call.');
  }
}

type AnyServer = McpServer | Server;

const shared = new KeptWith<AnyServer, Map<unknown, SharedCall>>();

/** Shares a call, until the returned function is called. */
export function shareCall(server: AnyServer, requestId: unknown, call: SharedCall): () => void {
  const calls = shared.get(server) ?? new Map<unknown, SharedCall>();
  shared.set(server, calls);
  calls.set(requestId, call);
  return () => {
    if (calls.get(requestId) === call) calls.delete(requestId);
  };
}

export const sharedCallOf = (server: McpServer, ctx: ServerContext): SharedCall | undefined =>
  shared.get(server)?.get(ctx.mcpReq.id);

/** A call that a handler of ours began, and that nobody waits for any more: what is recorded of it. */
export interface AbandonedCall extends Pick<SharedCall, 'flow' | 'stepStore'> {
  readonly method: AskingMethod;
  readonly params: RawParams;
  readonly principal: Principal | undefined;
}

/** Records the end of a call, from its record alone. @returns what its client gets, should it come back */
export type EndAbandoned = (call: AbandonedCall) => Promise<SharedOutcome>;

/** What becomes of calls whose process is gone. */
interface Afterwards {
  /** Whether a request is handled by a handler of ours, which may be run again from its journal. */
  readonly isReplayable: (method: AskingMethod, params: { readonly name?: string }) => boolean;
  readonly endAbandoned: EndAbandoned;
}

const afterwards = new KeptWith<AnyServer, Afterwards>();

export const markReplayable = (server: AnyServer, after: Afterwards): void => void afterwards.set(server, after);

export const isReplayable = (server: AnyServer, method: AskingMethod, params: { readonly name?: string }): boolean =>
  afterwards.get(server)?.isReplayable(method, params) ?? false;

/** @returns undefined for a server that none of our handlers is registered at */
export const enderOf = (server: AnyServer): EndAbandoned | undefined => afterwards.get(server)?.endAbandoned;
