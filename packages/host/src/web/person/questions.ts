/** What the pages of an inbox need to know about a person and their questions, wherever these are stored. */
import type { Ending, Question, Receipt, Reply } from '../../index.ts';
import type { HostWait } from '../workspace/index.ts';

/** One person's answer among several to a question. */
export interface ApprovalVote {
  /** As the issuer calls them, or their id. */
  readonly name: string;
  readonly action: 'accept' | 'decline';
  readonly assurance: 'verified' | 'present';
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isOwn: boolean;
}

/** What an answer is about, to be shown unabridged: a text, a unified diff, or a table. */
export type ApprovalDetails =
  | string
  | { readonly diff: string }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** What else a page says of a question that several people answer, or that needs a passkey. */
export interface ApprovalView {
  /** Absent: the person alone was asked. */
  readonly group?: string;
  /** How many must give the same answer. */
  readonly count: number;
  /** Whose call it is, as the issuer calls them or by their id; absent if nobody knows. */
  readonly requester?: string;
  /** The least assurance that counts. */
  readonly assurance: 'verified' | 'present';
  readonly details?: ApprovalDetails;
  /** Those that count, in the order in which they were given. */
  readonly votes: readonly ApprovalVote[];
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
  /** What became of it for everybody; absent while it waits, also where the person has answered. */
  readonly outcome?: 'accepted' | 'declined' | 'timed-out' | 'dismissed' | 'withdrawn' | 'unreachable';
  /** SHA-256 of all that was asked, in base64url, for a passkey to sign over. */
  readonly digest: string;
}

/** Proof that a passkey was verified for exactly this question and this reply. */
export interface Present {
  /** The id of the passkey. */
  readonly credential: string;
}

/** A question of one person that is open. */
export interface OpenQuestion {
  readonly question: Question;
  readonly approval?: ApprovalView;
  /** Whether its host waits for the answer. */
  readonly wait?: HostWait;
  /** True if a reply of the person is on its way to the process that asks, which has not said what became of it. */
  readonly sent?: boolean;
}

/** How a question ended. `in-doubt`: the process that asked took a reply, and ended before it said what became of it. */
export type PersonEnding = Ending | { readonly how: 'in-doubt' };

/** A question of one person that has ended; its secrets are masked. */
export interface EndedQuestion {
  readonly question: Question;
  readonly ending: PersonEnding;
  readonly approval?: ApprovalView;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** Whether its host has come back for the result. */
  readonly wait?: HostWait;
}

/**
 * The questions of one person: all of theirs, and nothing of anybody else. In endings, `via` is `inbox` for an answer that was given
 * on these pages, and otherwise the name of the place: `host`, `terminal`.
 */
export interface PersonQuestions {
  /** Oldest first; `count` is of all. */
  open(from: number, limit: number): Promise<{ readonly questions: readonly OpenQuestion[]; readonly count: number }>;
  /** Latest end first; `count` is of all. */
  ended(from: number, limit: number): Promise<{ readonly questions: readonly EndedQuestion[]; readonly count: number }>;
  get(id: string): Promise<OpenQuestion | EndedQuestion | undefined>;
  /**
   * Hands a reply to the process that asks. The pages have checked it against the question, and that process checks it again.
   * @param proof - if a passkey was verified for exactly this question and reply
   * @returns its receipt; `sent` if it has not said anything for a few seconds
   */
  reply(id: string, reply: Reply, proof?: Present): Promise<Receipt | 'sent'>;
  /**
   * Calls `listener` whenever a question was asked, has ended or is to be shown differently, and when a session of the person has
   * ended: each open page then fetches itself again, and one without a session is loaded anew.
   * @returns ends it
   */
  subscribe(listener: () => void): () => void;
}
