/** What the journal keeps of a question: what came back for it, unjudged, or what stood in for an answer. Pure. */
import type { Assurance, Channel } from '@midcall/core/form';
import type { Json } from '../digest.ts';

export type Recording =
  /** Sent as an answer, by whom the channel knows; nobody has looked yet whether it is one. */
  | {
      readonly kind: 'answered';
      readonly channel: Channel;
      readonly assurance: Assurance;
      readonly got: Json;
      /** Milliseconds from the question leaving to this arriving. */
      readonly ms: number;
    }
  | {
      readonly kind: 'unanswered';
      readonly why: 'timeout' | 'unavailable' | 'error';
      readonly ms: number;
      /** The client's own code for it. */
      readonly code?: number;
    }
  /** An earlier decline of the same question stands. */
  | { readonly kind: 'standing-decline' }
  /** The handler's own fallback stood in for an answer; its content is not kept here. */
  | { readonly kind: 'fallback' };

/** What the client itself sent. */
export const fromClient = (got: Json, ms: number): Recording => ({
  kind: 'answered',
  channel: 'native',
  assurance: 'in-band',
  got,
  ms,
});

export const unanswered = (why: 'timeout' | 'unavailable' | 'error', ms: number, code?: number): Recording => ({
  kind: 'unanswered',
  why,
  ms,
  ...(code !== undefined && { code }),
});

const kinds: ReadonlySet<unknown> = new Set(['answered', 'unanswered', 'standing-decline', 'fallback']);

/** Reads a recorded value; anything that is not one of ours is an error. */
export function readRecording(value: Json): Recording {
  const isRecording =
    value !== null && typeof value === 'object' && kinds.has((value as { readonly kind?: unknown }).kind);
  return isRecording ? (value as unknown as Recording) : unanswered('error', 0);
}

/** Milliseconds from the question leaving to what came of it; 0 where nothing left. */
export const elapsed = (recording: Recording): number => ('ms' in recording ? recording.ms : 0);
