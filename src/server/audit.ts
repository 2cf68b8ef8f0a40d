/**
 * What an operator can learn about calls: who was asked, through what, and how it ended; never contents. One event per
 * thing that happened, handed to the `audit` option in the order it happened.
 */
import type { Assurance, By, CancelReason, Channel } from '../form/index.ts';
import type { Principal } from './call.ts';

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
  | PageEvent
);

/** What happened on a page of ours; `ticket` is a digest, never the link. */
export type PageEvent =
  | { readonly kind: 'page-seen'; readonly ticket: string }
  | {
      readonly kind: 'page-refused';
      readonly ticket: string;
      readonly reason: 'other-person' | 'wrong-code' | 'out-of-tries' | 'forged' | 'late' | 'used';
    }
  | {
      readonly kind: 'page-finished';
      readonly ticket: string;
      readonly action: 'accept' | 'decline';
      readonly assurance: Assurance;
    };

/** What an audit hook is given, before the time is stamped on it. */
export type Unstamped = AuditEvent extends infer E ? (E extends AuditEvent ? Omit<E, 'at' | 'call'> : never) : never;

/** Takes events; must not throw. */
export type AuditSink = (event: AuditEvent) => void;
