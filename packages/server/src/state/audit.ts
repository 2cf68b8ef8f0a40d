/**
 * What an operator can learn about calls: who was asked, on which channel, and how it ended; never contents. There is one event
 * for everything that happens, passed to the `audit` option in order.
 */
import type { Assurance, By, CancelReason, Channel } from '@midcall/core/form';
import type { Principal } from '../base/index.ts';

/** Which call an event belongs to. */
export interface CallRef {
  /** Stays the same in every round of one call. */
  readonly flow: string;
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  /** Digest of the raw arguments. */
  readonly arguments: string;
  readonly principal: Principal | undefined;
}

/** One event, its time, and its call. */
export type AuditEvent = { readonly at: number; readonly call: CallRef } & (
  | { readonly kind: 'asked'; readonly ask: string; readonly channel: Channel; readonly assurance?: Assurance }
  | {
      readonly kind: 'answered';
      readonly ask: string;
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly reason?: CancelReason;
      readonly by: By;
      /** Names of members of the answer that the form did not ask for; they were left out. */
      readonly leftOut?: readonly string[];
    }
  | { readonly kind: 'step-begun'; readonly step: string }
  | { readonly kind: 'step-ended'; readonly step: string; readonly failed: boolean }
  | { readonly kind: 'step-in-doubt'; readonly step: string }
  | { readonly kind: 'disconnected'; readonly openAsks: number }
  | { readonly kind: 'state-refused'; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly outcome: RequestOutcome;
      /** The code of the error, if there was one: ours, JSON-RPC's or Node's; `error` if it has none. */
      readonly code?: string | number;
      /** With `done`: true if the handler's own result is an error. */
      readonly isError?: true;
    }
  | PageEvent
);

/**
 * How a request of a call ended. `done`: with the handler's result. `failed`: with an error. `cancelled`: the client cancelled,
 * or is gone. `relayed` and `parked`: with a ticket; the call continues under the same flow when it is used. `url-required`:
 * with the error that names a page to finish first (2025-11-25). Sending a round is not an end.
 */
export type RequestOutcome = 'done' | 'failed' | 'cancelled' | 'relayed' | 'parked' | 'url-required';

/** What happened on a page of ours; `page` is a digest of its ID, never the link. */
export type PageEvent =
  | { readonly kind: 'page-seen'; readonly page: string }
  | {
      readonly kind: 'page-refused';
      readonly page: string;
      readonly reason: 'other-person' | 'wrong-code' | 'out-of-tries' | 'forged' | 'no-cookie' | 'late' | 'used';
    }
  | {
      readonly kind: 'page-finished';
      readonly page: string;
      readonly action: 'accept' | 'decline';
      readonly assurance: Assurance;
    };

/** An audit event, before it gets its time. */
export type Unstamped = AuditEvent extends infer E ? (E extends AuditEvent ? Omit<E, 'at' | 'call'> : never) : never;

/** Takes events, in order. If the function itself fails, that is reported to `onError`, or as a warning, and changes nothing. */
export type AuditSink = (event: AuditEvent) => void;

/**
 * Called with the errors that ended a call, with an author's mistakes that a handler caught, and with what `mid.tool` and the
 * like throw, with their stacks; an error thrown by a step is the `cause`. If the function itself fails, that is reported as a
 * warning and changes nothing.
 * @param error - as thrown; unlike the audit it may contain what the handler put into its message
 * @param call - undefined if something could not be registered
 */
export type ErrorSink = (error: unknown, call: CallRef | undefined) => void | Promise<void>;
