/**
 * What an operator can learn about calls: who was asked, through what, and how it ended; never contents. One event per
 * thing that happened, handed to the `audit` option in the order it happened.
 */
import type { Assurance, By, CancelReason, Channel } from '@midcall/core/form';
import type { Principal } from '../principal.ts';

/** Which call an event belongs to. */
export interface CallRef {
  /** The same in every round of one call. */
  readonly flow: string;
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  /** Digest of the raw arguments. */
  readonly arguments: string;
  readonly principal: Principal | undefined;
}

/** One thing that happened, when, and in which call. */
export type AuditEvent = { readonly at: number; readonly call: CallRef } & (
  | { readonly kind: 'asked'; readonly ask: string; readonly channel: Channel; readonly assurance?: Assurance }
  | {
      readonly kind: 'answered';
      readonly ask: string;
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly reason?: CancelReason;
      readonly by: By;
    }
  | { readonly kind: 'step-begun'; readonly step: string }
  | { readonly kind: 'step-ended'; readonly step: string; readonly failed: boolean }
  | { readonly kind: 'step-in-doubt'; readonly step: string }
  | { readonly kind: 'disconnected'; readonly openAsks: number }
  | { readonly kind: 'state-refused'; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly outcome: RequestOutcome;
      /** Of the error, if there was one: a code of ours, of JSON-RPC or of Node; `error` if it has none. */
      readonly code?: string | number;
      /** With `done`: the handler's own result says that it is an error. */
      readonly isError?: true;
    }
  | PageEvent
);

/**
 * How a request of a call ended. `done`: with the handler's result. `failed`: with an error. `cancelled`: the client
 * cancelled, or is gone. `relayed` and `parked`: with a ticket, and the call goes on under the same flow when it is brought.
 * `url-required`: with the error that names a page to finish first (2025-11-25). A round that leaves is no end.
 */
export type RequestOutcome = 'done' | 'failed' | 'cancelled' | 'relayed' | 'parked' | 'url-required';

/** What happened on a page of ours; `page` is a digest of its ID, never the link. */
export type PageEvent =
  | { readonly kind: 'page-seen'; readonly page: string }
  | {
      readonly kind: 'page-refused';
      readonly page: string;
      readonly reason: 'other-person' | 'wrong-code' | 'out-of-tries' | 'forged' | 'late' | 'used';
    }
  | {
      readonly kind: 'page-finished';
      readonly page: string;
      readonly action: 'accept' | 'decline';
      readonly assurance: Assurance;
    };

/** What an audit hook is given, before the time is stamped on it. */
export type Unstamped = AuditEvent extends infer E ? (E extends AuditEvent ? Omit<E, 'at' | 'call'> : never) : never;

/** Takes events; must not throw. */
export type AuditSink = (event: AuditEvent) => void;

/**
 * Takes the errors that ended a call, and an author's mistakes that a handler caught, with their stacks; what a step threw is
 * the `cause`. What it throws itself is told as a warning and changes nothing.
 * @param error - as it was thrown; unlike the audit it may hold what the handler put into its message
 */
export type ErrorSink = (error: unknown, call: CallRef) => void | Promise<void>;
