/** What a person's pages need of the questions, wherever they are stored. */
import type { Ending, Question, Receipt, Reply } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';

/** A question of one person that is open. */
export interface OpenQuestion {
  readonly question: Question;
  /** Whether its host waits for the answer. */
  readonly wait?: HostWait;
}

/** One that has ended; its texts are masked as everywhere (inbox-I5). */
export interface EndedQuestion {
  readonly question: Question;
  readonly ending: Ending | { readonly how: 'in-doubt' };
  readonly endedAt: number;
}

/** The questions of one person, wherever they are stored. All of it is theirs, and nothing of anybody else. */
export interface PersonQuestions {
  /** Oldest first. */
  open(from: number, limit: number): Promise<{ readonly questions: readonly OpenQuestion[]; readonly count: number }>;
  /** Latest end first. */
  ended(from: number, limit: number): Promise<{ readonly questions: readonly EndedQuestion[]; readonly count: number }>;
  get(id: string): Promise<OpenQuestion | EndedQuestion | undefined>;
  /** Hands a reply to the process that asks. @returns its receipt; `sent` if it has not said anything within five seconds */
  reply(id: string, reply: Reply): Promise<Receipt | 'sent'>;
  /** Calls `listener` whenever a question was asked or has ended. @returns ends it */
  subscribe(listener: () => void): () => void;
}
