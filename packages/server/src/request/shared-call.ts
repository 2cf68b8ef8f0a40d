/**
 * A call of a 2025-11-25 session that another process may continue: its state outside this process, and the claim under which
 * this process runs it. Whoever stores sessions for several processes shares a call before its request reaches the server.
 */
import type { Store } from '@midcall/core/store';
import { type McpServer, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Json, Principal } from '../base/index.ts';
import type { Entry, Journal } from '../engine/index.ts';
import type { AskingMethod, RawParams } from '../sdk-seam/index.ts';

/** Whose call it is. */
export interface Caller {
  /** A digest of everything that an answer is bound to. */
  readonly binding: string;
  readonly principal: Principal | undefined;
}

/** The state of a call that the processes of a fleet share. */
export interface Shared {
  /** The binding, as it was when the call was first opened. */
  readonly caller: Caller;
  readonly journal: Journal;
  /** Its outcome, if it is known already. */
  readonly earlier?: SharedOutcome;
}

/** A question on its way to the client. */
export interface SharedAsk {
  /** The engine's id for it. */
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds the person has. */
  readonly timeoutMs: number;
}

/** A question that has been asked, now or by an earlier holder of the call. */
export interface PutAsk {
  /** True if this process is the first to ask it. */
  readonly fresh: boolean;
  /** Milliseconds since it was asked. */
  readonly elapsedMs: number;
  /** The client's response; rejects with `HandedOver` if the call has been taken over. */
  readonly answer: Promise<{ readonly response: SharedResponse; readonly ms: number }>;
}

/** The outcome of a call. */
export type SharedOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code?: number; readonly message: string } };

/** A JSON-RPC response, as received. */
export type SharedResponse =
  | { readonly result: Json }
  | { readonly error: { readonly code?: unknown; readonly message?: unknown } };

export interface SharedCall {
  /** Names the call, the same in every process. */
  readonly flow: string;
  /** True for the process that took the request. */
  readonly first: boolean;
  /** Where steps are recorded. */
  readonly stepStore: Store;
  /** How long they are kept, in milliseconds. */
  readonly retentionMs: number;
  /** The progress that an earlier holder may have reported. */
  readonly progress: number;
  open(caller: Caller): Promise<Shared>;
  /** Called before anything is started; false once somebody else has taken the call over. */
  holds(): Promise<boolean>;
  put(ask: SharedAsk, signal: AbortSignal): Promise<PutAsk>;
  /** Stores the answers to questions. @returns false if somebody else has the call */
  record(entries: readonly Entry[]): Promise<boolean>;
  /** Stores the outcome of the call. @returns false if somebody else has the call */
  settle(outcome: SharedOutcome): Promise<boolean>;
}

/** This process no longer runs the call: another does, or will. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver';

  constructor() {
    super('Another process goes on with this call.');
  }
}

type AnyServer = McpServer | Server;

const shared = new WeakMap<AnyServer, Map<unknown, SharedCall>>();

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

/** The record of a call that one of our handlers began and that nobody waits for any more. */
export interface AbandonedCall extends Pick<SharedCall, 'flow' | 'stepStore'> {
  readonly method: AskingMethod;
  readonly params: RawParams;
  readonly principal: Principal | undefined;
}

/** Records the end of a call, from its record alone. @returns what its client gets if it comes back */
export type EndAbandoned = (call: AbandonedCall) => Promise<SharedOutcome>;

/** The error of a call whose process is gone, if nothing recorded says what it did. */
export const lostCall = {
  code: ProtocolErrorCode.InternalError,
  message:
    'The server stopped while this call was under way, and cannot tell what took effect. Find out before calling again.',
} as const;

/** Deals with calls whose process is gone. */
interface Afterwards {
  /** Whether a request has one of our handlers, which can be run again from its journal. */
  readonly isReplayable: (method: AskingMethod, params: { readonly name?: string }) => boolean;
  readonly endAbandoned: EndAbandoned;
}

const afterwards = new WeakMap<AnyServer, Afterwards>();

export const markReplayable = (server: AnyServer, after: Afterwards): void => void afterwards.set(server, after);

export const isReplayable = (server: AnyServer, method: AskingMethod, params: { readonly name?: string }): boolean =>
  afterwards.get(server)?.isReplayable(method, params) ?? false;

/** @returns undefined for a server without any of our handlers */
export const enderOf = (server: AnyServer): EndAbandoned | undefined => afterwards.get(server)?.endAbandoned;
