/**
 * A person's answer. The three actions are the spec's (2025-11-25 and 2026-07-28, client/elicitation, "Response Actions"); a
 * cancel also says why.
 */

/** How certain it is that a person gave an answer; each level includes those before it. */
export type Assurance = 'relayed' | 'in-band' | 'out-of-band' | 'verified' | 'present';

/** The channel through which an answer came. */
export type Channel = 'native' | 'card' | 'page' | 'approvers' | 'relay' | 'fallback';

/** Why nobody accepted or declined. `unfinished`: the person agreed to open a page, and did not finish it in time. */
export type CancelReason = 'dismissed' | 'timeout' | 'unfinished' | 'unavailable' | 'invalid' | 'suspect' | 'error';

/** One answer of several, given in an inbox by a person who is signed in. */
export interface Vote {
  /** The issuer of the identity, and the subject there. */
  readonly issuer: string;
  readonly subject: string;
  /** As the issuer calls the person. */
  readonly name?: string;
  readonly action: 'accept' | 'decline';
  /** `present`: with a passkey and user verification, for this question. */
  readonly assurance: 'verified' | 'present';
  /** When it was given, in milliseconds since the epoch. */
  readonly at: number;
}

/** Who answered, as far as can be known. */
export interface By {
  readonly channel: Channel;
  readonly assurance: Assurance;
  /** Milliseconds from sending the question to receiving the answer; 0 if nothing was asked. */
  readonly elapsedMs: number;
  /** Set if the answer looks automatic. Such an answer does not satisfy an ask that demands a level. */
  readonly suspect?: 'too-fast';
  /** SHA-256, in hexadecimal, of the `details` that were shown with the question: the text, the diff, or a table's canonical JSON. */
  readonly seen?: string;
  /** With the channel `approvers`: who answered, how and when. */
  readonly votes?: readonly Vote[];
}

/** A true answer: exactly one of accepted with checked content, declined, or cancelled with the reason. */
export type Answer<T> =
  | { readonly action: 'accept'; readonly content: T; readonly by: By }
  | { readonly action: 'decline'; readonly by: By }
  | { readonly action: 'cancel'; readonly reason: CancelReason; readonly by: By };

/** From the weakest to the strongest. */
export const assurances: readonly Assurance[] = ['relayed', 'in-band', 'out-of-band', 'verified', 'present'];

/** True if `level` is at least `demanded`. */
export function assures(level: Assurance, demanded: Assurance): boolean {
  return assurances.indexOf(level) >= assurances.indexOf(demanded);
}
