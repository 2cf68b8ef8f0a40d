/**
 * The seam to an inbox of people other than whoever sits at the client: the server library asks a question there, looks for its
 * outcome and withdraws it; `@midcall/inbox` implements it.
 *
 * - approvals-V1 A question is named by an id that is drawn once per ask and recorded in the journal, so every run of a call and
 *   every replica refer to the same question. Asking it again changes nothing.
 * - approvals-V2 The inbox alone counts votes and decides the outcome, which is written once and never after `dueAt`.
 */
import type { Vote } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import { checkKind, checkOptions, type Kind, type Kinds, oneOf } from '@midcall/core/options';
import type { Json, Principal } from '../base/index.ts';
import type { CallRef } from '../state/index.ts';
import type { Details } from './details.ts';

/** Who is asked in place of the requester; made by {@link approvers}. */
export interface Approvers {
  /** A group that the inbox knows. */
  readonly group: string;
  /** How many of them must give the same answer. */
  readonly count: number;
  /** `requester`: the person whose call it is has no vote. */
  readonly not?: 'requester';
}

/** What {@link approvers} takes. */
export interface ApproversOptions {
  /** How many of them must give the same answer; 1 if absent, at most 100. */
  readonly count?: number;
  /** `requester`: the person whose call it is has no vote, so it must be known who that is. */
  readonly not?: 'requester';
}

/** The most people who may have to agree. */
const MOST = 100;

const groupKind: Kind = {
  words: "the name of a group, such as 'finance': 1 to 200 characters",
  fits: value => typeof value === 'string' && value.trim() !== '' && value.length <= 200,
};

const optionKinds: Kinds<ApproversOptions> = {
  count: {
    words: `a whole number from 1 to ${MOST}`,
    fits: value => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST,
  },
  not: oneOf('requester'),
};

/**
 * People of a group, who are asked in place of the requester: `call.elicit({ …, from: approvers('finance') })`.
 * @param group - the name of a group that the inbox of `midcall({ inbox })` knows
 * @throws TypeError for a group without a name, or an option that is unknown or not what it may be
 * @example
 * ```ts
 * const answer = await call.elicit({
 *   message: 'Pay 4,000 € to Acme?',
 *   form: Boolean,
 *   from: approvers('finance', { count: 2, not: 'requester' }),
 * });
 * if (answer.action === 'accept' && answer.content) console.error(answer.by.votes); // who agreed, and when
 * ```
 */
export function approvers(group: string, options: ApproversOptions = {}): Approvers {
  checkKind('approvers', 'the group', group, groupKind);
  checkOptions('approvers', options, optionKinds);
  const { count = 1, not } = options;
  return { group, count, ...(not && { not }) };
}

/** What `from` of an ask must be. */
export const approversKind: Kind = {
  words: "what approvers('finance', { count: 2 }) returns",
  fits(value) {
    if (!isRecord(value)) return false;
    const { group, count, not, ...others } = value;
    if (Object.keys(others).length > 0 || count === undefined || !groupKind.fits(group)) return false;
    return optionKinds.count.fits(count) && (not === undefined || optionKinds.not.fits(not));
  },
};

/** One question for an inbox, as a server asks it. */
export interface ApprovalAsk {
  /** Drawn once and recorded in the journal. */
  readonly id: string;
  /** `requester`: the person whose call it is alone, in their own inbox. */
  readonly from: Approvers | 'requester';
  readonly requester: Principal | undefined;
  /** The server's name, which is shown. */
  readonly server: string;
  /** The call that asks; `arguments` as they arrived. */
  readonly call: { readonly method: CallRef['method']; readonly name: string; readonly arguments?: Json };
  readonly message: string;
  /** The restricted JSON Schema of the form. */
  readonly schema: Json;
  /** What the answer is about, to be shown unabridged. */
  readonly details?: Details;
  /** The least assurance that counts. */
  readonly assurance: 'verified' | 'present';
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** How a question in an inbox stands. */
export interface ApprovalStanding {
  /** Those that count now, in the order in which they were given. */
  readonly votes: readonly Vote[];
  /** Absent while it waits. */
  readonly outcome?: ApprovalOutcome;
}

/** How a question in an inbox ended. */
export type ApprovalOutcome =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, Json>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel'; readonly reason: 'timeout' | 'dismissed' | 'unavailable' };

/** Passed to `midcall({ inbox })`; `openInbox()` of `@midcall/inbox` makes one. */
export interface ApprovalInbox {
  /**
   * Checked before anything is asked.
   * @returns why these people can never give this answer now, as a sentence for the author or operator; undefined if they can
   */
  whyNot(ask: Pick<ApprovalAsk, 'from' | 'requester' | 'assurance'>): Promise<string | undefined>;
  /**
   * Stores a question; resolves when it is on the disk. The same id again changes nothing.
   * @returns where people answer, for texts
   */
  ask(ask: ApprovalAsk): Promise<{ readonly url: string }>;
  /** @returns undefined for an id that was never asked */
  look(id: string): Promise<ApprovalStanding | undefined>;
  /** Ends a question that has no outcome yet, as `cancel/unavailable`; nothing for any other. */
  withdraw(id: string): Promise<void>;
  /** Calls `listener` when something of a question may have changed, perhaps more often. @returns ends that */
  listen(id: string, listener: () => void): () => void;
}
