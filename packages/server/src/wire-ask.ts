/** A question as it leaves a call. */
import type { Assurance, Channel, Field } from '@midcall/core/form';
import type { OpenAsk } from './engine/seam.ts';
import type { PageWait } from './url/announced.ts';

/** A question as either wire carries it. */
export interface WireAsk {
  readonly method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage';
  readonly params: Readonly<Record<string, unknown>>;
  /** The key in `inputRequests`, where the author gave one. */
  readonly key?: string | undefined;
  /** Milliseconds the person has. */
  readonly timeoutMs: number;
  /** Fires when the question is taken back; a client of 2026-07-28 has no ear for that. */
  readonly withdrawn?: AbortSignal | undefined;
  /** `relay` where the question leaves as a text for the model; see resume/relay.ts. */
  readonly channel?: 'native' | 'relay' | 'page';
  /**
   * What the audit is told when this leaves, where it is not the question itself as it is: a part of a question on a page, or
   * `already` where the question was told before.
   */
  readonly audited?: { readonly ask?: string; readonly channel?: Channel; readonly assurance?: Assurance } | 'already';
  /** The page this question is about; see url/plan.ts. */
  readonly ticket?: string;
  /** With `channel: 'page'`: what is waited for; see url/wait.ts. */
  readonly wait?: PageWait;
  /** The form's fields, for the relay's text. */
  readonly fields?: readonly Field[];
}

export const wireOf = (ask: OpenAsk): WireAsk => ask.detail as WireAsk;

/** True where the client takes this question itself. */
export const isNative = (ask: OpenAsk): boolean => (wireOf(ask).channel ?? 'native') === 'native';
