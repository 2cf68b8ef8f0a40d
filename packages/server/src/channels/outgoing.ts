/**
 * A question as it leaves its run. There are three ways, and each channel takes one of them: through the client, over the
 * protocol; apart from the client, where we learn the answer ourselves; and as a text that the model puts to the person.
 */
import type { Assurance, Channel, Field } from '@midcall/core/form';
import type { Run } from '../engine/run.ts';
import type { OpenAsk } from '../engine/seam.ts';
import type { Recording } from './recording.ts';

interface Leaving {
  readonly channel: Channel;
  /** Milliseconds the person has. */
  readonly timeoutMs: number;
  /**
   * What the audit is told when this leaves, where it is not the question itself as it is: a part of a question on a page, or
   * `already` where the question was told before.
   */
  readonly audited?: { readonly ask?: string; readonly channel?: Channel; readonly assurance?: Assurance } | 'already';
}

/** Over the protocol: in the result of the request on 2026-07-28, as a request of its own on 2025-11-25. */
export interface ClientAsk extends Leaving {
  readonly to: 'client';
  readonly method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>>;
  /** The key in `inputRequests`, where the author gave one. */
  readonly key?: string | undefined;
  /** Fires when the question is taken back; a client of 2026-07-28 has no ear for that but in a task. */
  readonly withdrawn?: AbortSignal | undefined;
  /** Takes back what the question is about, where the client is gone. */
  readonly withdraw?: () => Promise<void>;
}

/** What a channel does for a question of its own that is out. */
export interface Waiting {
  /** What came of it, as soon as that is known; undefined if it is not after `ms` milliseconds, or the signal fired. */
  collect(ms: number, signal?: AbortSignal): Promise<Recording | undefined>;
  /** Takes it back: what the person answers from now on has no effect. */
  withdraw(): Promise<void>;
}

/** What the model is told where the request ends and the call goes on with a ticket. */
export interface WaitingWords {
  /** Where the person answers, after `who answers`: `on a web page`. */
  readonly where: string;
  /** Present where the person only hears of the question through the model, so that the request ends at once. */
  readonly passOn?: { readonly how: string; readonly lines: readonly string[] };
  /** One or two sentences for the model where the person has the question already. */
  readonly reached: string;
  /** What the minutes left are for: `The page can be answered`. */
  readonly open: string;
}

/** Apart from the client, which is told nothing of it but that the call goes on. */
export interface ApartAsk extends Leaving, Waiting {
  readonly to: 'apart';
  /** When it was put, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** What a client that asked for progress hears meanwhile, without a word of the question. */
  readonly sign: string;
  /** Tells the client that it is answered, where it is to know. */
  readonly finished?: () => Promise<void>;
  readonly words: WaitingWords;
}

/** As a text for the model, which comes back with the answer and a ticket. */
export interface ModelAsk extends Leaving {
  readonly to: 'model';
  readonly message: string;
  readonly fields: readonly Field[];
}

export type Outgoing = ClientAsk | ApartAsk | ModelAsk;

/** A question of a call that has no answer yet. */
export type OpenQuestion<O extends Outgoing = Outgoing> = OpenAsk<O>;

/** A run of a call of ours. */
export type CallRun<R = unknown> = Run<R, Outgoing>;

/** The open questions that leave in one way. */
export const leavingTo = <T extends Outgoing['to']>(
  to: T,
  asks: readonly OpenQuestion[],
): readonly OpenQuestion<Extract<Outgoing, { to: T }>>[] => {
  const leaves = (ask: OpenQuestion): ask is OpenQuestion<Extract<Outgoing, { to: T }>> => ask.detail.to === to;
  return asks.every(leaves) ? asks : asks.filter(leaves);
};
