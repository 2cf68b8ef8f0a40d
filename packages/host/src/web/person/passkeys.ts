/** What the pages of an inbox need to know about a person's passkeys, wherever these are stored, and whoever judges what they say. */
import type { Reply } from '../../index.ts';
import type { OpenQuestion, Present } from './questions.ts';

/** A passkey, as its owner sees it. */
export interface ShownPasskey {
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly addedAt: number;
  /** When it last confirmed something; absent if it never did. */
  readonly usedAt?: number;
}

/** What the script of a page does before it sends a form. */
export interface PasskeyRequest {
  /** `get` lets a passkey confirm, `create` makes a new one. */
  readonly does: 'get' | 'create';
  /** The options of WebAuthn, as JSON. */
  readonly options: unknown;
  /** Goes back with what the browser returns. */
  readonly token: string;
  /** True if the script asks once more with what the browser returned, before it sends the form. */
  readonly again?: true;
}

/**
 * Why something was not done.
 * - `impossible`: this inbox has an address at which browsers have no passkeys
 * - `none`: the person has no passkey
 * - `late`: it took longer than the request allowed
 * - `refused`: what was returned does not confirm this, by a passkey of this person
 * - `sign-in`: this needs a passkey, or a sign-in that is more recent
 * - `invitation`: this needs a passkey, or an invitation
 * - `not-invited`: the invitation is not one of this person, or it was used, or its time is over
 */
export type PasskeyProblem = 'impossible' | 'none' | 'late' | 'refused' | 'sign-in' | 'invitation' | 'not-invited';

/**
 * The passkeys of one person in one session. A `posted` is what the script of a page has returned: JSON with the `token` of the request
 * and the browser's `response`.
 */
export interface PersonPasskeys {
  /** False if browsers have no passkeys at the address of this inbox. */
  readonly isPossible: boolean;
  /** The address of this inbox, as the person knows it. */
  readonly origin: string;
  /** True if the person signed in so recently that they may change passkeys without one. */
  readonly isFresh: boolean;
  /** True if a first passkey needs an invitation. */
  readonly needsInvitation: boolean;
  /** Where the person signs in again and is led back to the page of passkeys; to a question from there, if one is named. */
  signInPath(question?: string): string;
  /** Those that count. */
  list(): Promise<readonly ShownPasskey[]>;
  /** Lets a passkey confirm exactly this reply to exactly this question. */
  requestAnswer(shown: OpenQuestion, reply: Reply): Promise<PasskeyRequest | PasskeyProblem>;
  proveAnswer(shown: OpenQuestion, reply: Reply, posted: string): Promise<Present | PasskeyProblem>;
  /** @param by - an invitation, or what a passkey has confirmed */
  requestNew(by: {
    readonly invitation?: string | undefined;
    readonly posted?: string | undefined;
  }): Promise<PasskeyRequest | PasskeyProblem>;
  add(name: string, posted: string): Promise<'added' | PasskeyProblem>;
  /** @returns undefined if nothing has to be confirmed */
  requestRevoke(id: string): Promise<PasskeyRequest | PasskeyProblem | undefined>;
  revoke(id: string, posted: string | undefined): Promise<'revoked' | PasskeyProblem>;
}
