/**
 * A question as it leaves its run. There are three ways, and each channel takes one of them: through the client, over the
 * protocol; apart from the client, where we learn the answer ourselves; and in the result of the call, with a ticket that brings
 * the answer back.
 */
import type { Answer, Assurance, Channel } from '@midcall/core/form';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { OpenAsk, Run } from '../engine/index.ts';
import type { CallRequest, Consent } from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';
import type { Recording } from './recording.ts';

interface Leaving {
  readonly channel: Channel;
  /** Milliseconds the person has. */
  readonly timeoutMs: number;
  /**
   * What the audit records when this is sent, if not simply the question itself: a part of a question on a page, or `already`
   * if the question was recorded before.
   */
  readonly audited?: { readonly ask?: string; readonly channel?: Channel; readonly assurance?: Assurance } | 'already';
}

/** Over the protocol: in the result of the request on 2026-07-28, as a request of its own on 2025-11-25. */
export interface ClientAsk extends Leaving {
  readonly to: 'client';
  readonly method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>>;
  /** The key in `inputRequests`, if the author gave one. */
  readonly key?: string | undefined;
  /** Fires when the question is withdrawn; a client of 2026-07-28 learns of that only in a task. */
  readonly withdrawn?: AbortSignal | undefined;
  /** Withdraws what the question is about, if the client is gone. @returns as `withdraw` of {@link Waiting} */
  readonly withdraw?: () => Promise<boolean>;
}

/** What a channel does for one of its own open questions. */
export interface Waiting {
  /**
   * Its outcome, as soon as that is known, or that its time is up; undefined if neither is known after `ms` milliseconds, or the
   * signal fired.
   * @param changed - called if what `sign` says has changed meanwhile
   * @throws MidcallError `store/unavailable` if it cannot be read now
   */
  collect(ms: number, signal?: AbortSignal, changed?: () => void): Promise<Recording | undefined>;
  /**
   * Withdraws it: any answer from now on has no effect.
   * @returns true if somebody had answered it already, so that what they sent takes effect, or has
   */
  withdraw(): Promise<boolean>;
}

/** What the model is told if the request ends and the call continues with a ticket. */
export interface WaitingWords {
  /** Who is waited for, and where they answer, as a sentence. */
  readonly who: string;
  /** What the model is to tell the person. */
  readonly passOn?: {
    readonly how: string;
    readonly lines: readonly string[];
    /** The page, for a host that can show it to the person itself. */
    readonly page?: { readonly message: string; readonly url: string; readonly note?: string };
  };
  /** One or two sentences for the model if there is nothing to tell the person. */
  readonly reached: string;
  /** When the call is to be continued: `When they say that they are done`. */
  readonly when: string;
  /** What the remaining minutes are for: `The page can be answered`. */
  readonly open: string;
  /** Why the call ends if it cannot be continued with a ticket. */
  readonly unfinished: string;
}

/** Apart from the client, which is only told that the call continues. */
export interface ApartAsk extends Leaving, Waiting {
  readonly to: 'apart';
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** True if the person has the question before them, so that the request is held for a while; otherwise it ends at once. */
  readonly isHeld: boolean;
  /**
   * True if the answer comes from an inbox, in its own time: the call becomes a task if it may.
   * `asked`: by this run, so that nothing stored says so yet.
   */
  readonly inInbox?: 'asked' | 'asked-before';
  /** What a client that asked for progress is told meanwhile, and what a task says, without a word of the question. */
  sign(): string;
  /** Notifies the client that it is answered; absent if the client need not know. */
  readonly finished?: () => Promise<void>;
  words(): WaitingWords;
}

/** A question that leaves in the result of the call, which ends its request; the answer comes back with a ticket. */
export interface ResultAsk extends Leaving {
  readonly to: 'result';
  /** The assurance of the answer that comes back. */
  readonly assurance: Assurance;
  /** How the audit names the end of the request. */
  readonly ends: 'relayed' | 'parked';
  /** @param dueAt - when it may no longer be answered, in milliseconds since the epoch */
  result(ticket: string, dueAt: number, request: CallRequest): CallToolResult;
  /** Called before the result leaves. */
  leaving?(request: CallRequest): Promise<void>;
  /** Only its ticket brings an answer, and that ends by itself. */
  readonly withdraw?: undefined;
}

export type Outgoing = ClientAsk | ApartAsk | ResultAsk;

/** One run of a call. */
export type CallRun<R = unknown> = Run<R, Outgoing>;

/** How many steps of a call have been done, or may have been: one that failed may have had an effect. */
export const stepsDone = ({ journal }: Pick<CallRun, 'journal'>): number =>
  journal.filter(({ kind }) => kind === 'step').length;

/** The open questions that are sent in one way. */
export const leavingTo = <T extends Outgoing['to']>(
  to: T,
  asks: readonly OpenAsk<Outgoing>[],
): readonly OpenAsk<Extract<Outgoing, { to: T }>>[] => {
  const leaves = (ask: OpenAsk<Outgoing>): ask is OpenAsk<Extract<Outgoing, { to: T }>> => ask.detail.to === to;
  return asks.every(leaves) ? asks : asks.filter(leaves);
};

/** What the audit records about the answer to a question. */
export const answeredEvent = (ask: string, answer: Consent | Answer<unknown>): Unstamped => ({
  kind: 'answered',
  ask,
  action: answer.action,
  ...(answer.action === 'cancel' && { reason: answer.reason }),
  by: answer.by,
});

/**
 * What the audit records about a question when it is sent; see `audited` of {@link Outgoing}.
 * @returns nothing for questions that no person sees (roots, and sampling), and for the second half of a question
 */
export function askedEvent(ask: OpenAsk<Outgoing>): Unstamped | undefined {
  if (ask.kind !== 'elicit' && ask.kind !== 'url') return undefined;
  const { channel, audited } = ask.detail;
  return audited === 'already' ? undefined : { kind: 'asked', ask: ask.id, channel, ...audited };
}
