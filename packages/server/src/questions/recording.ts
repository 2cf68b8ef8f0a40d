/** What the journal stores for a question: the response, unchecked, or what stood in for an answer. Pure. */
import type { Assurance, Channel, Vote } from '@midcall/core/form';
import type { Json } from '../base/index.ts';

export type Recording =
  /** Sent as an answer by somebody the channel knows; not checked yet. */
  | {
      readonly kind: 'answered';
      readonly channel: Channel;
      readonly assurance: Assurance;
      readonly got: Json;
      /** Milliseconds from sending the question to receiving this. */
      readonly ms: number;
      readonly votes?: readonly RecordedVote[];
    }
  | {
      readonly kind: 'unanswered';
      readonly why: 'timeout' | 'unavailable' | 'error';
      readonly ms: number;
      /** The client's own code for it. */
      readonly code?: number;
      readonly votes?: readonly RecordedVote[];
    }
  /** An earlier decline of the same question stands. */
  | { readonly kind: 'standing-decline' }
  /** The handler's own fallback stood in for an answer; its content is not stored here. */
  | { readonly kind: 'fallback' };

/** A vote as JSON. */
type RecordedVote = Pick<Vote, keyof Vote>;

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

/** Milliseconds from sending the question to its outcome; 0 if nothing was sent. */
export const elapsed = (recording: Recording): number => ('ms' in recording ? recording.ms : 0);
