/** What the pages of an inbox need to know about a person and their questions, wherever these are stored. */
import type { Ending, Question, Receipt, Reply } from '../../index.ts';
import type { HostWait } from '../workspace/index.ts';

/** A question of one person that is open. */
export interface OpenQuestion {
  readonly question: Question;
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
   * @returns its receipt; `sent` if it has not said anything for a few seconds
   */
  reply(id: string, reply: Reply): Promise<Receipt | 'sent'>;
  /**
   * Calls `listener` whenever a question was asked, has ended or is to be shown differently, and when a session of the person has
   * ended: each open page then fetches itself again, and one without a session is loaded anew.
   * @returns ends it
   */
  subscribe(listener: () => void): () => void;
}

/** Who looks at the pages: a person with a session. The caller has checked that, and Host, Origin and Sec-Fetch-Site. */
export interface Visitor {
  readonly questions: PersonQuestions;
  /** As the issuer calls them; shown. */
  readonly name: string;
  /** The path of all pages of this session, without a slash at its end. */
  readonly base: string;
  /** The token that every form of these pages contains; they check it. */
  readonly csrf: string;
  /**
   * Ends this session, or all of this person.
   * @returns a redirect to where the browser goes, which removes the cookie
   */
  signOut(everywhere: boolean): Promise<Response>;
}
