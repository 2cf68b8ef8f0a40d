/**
 * The seam for channels: the ways to bring a question to the person of a call. A channel is one folder and one line in
 * ./all.ts. It says whether it reaches the person and what its answers are worth there; puts a question; and, where the
 * client has no part in it, collects what comes of it or withdraws it (`Waiting` of ./outgoing.ts, which `put` hands to
 * the run). Which channel is taken is decided in ./ladder.ts alone, by what a channel says of itself.
 */
import type { Answer, Assurance, Channel, Form, FormInput } from '@midcall/core/form';
import type { AskHistory } from '../asking/judge.ts';
import type { ElicitAsk } from '../call/call.ts';
import type { CallRequest } from '../call/request.ts';
import type { Config } from '../config.ts';
import type { CallRun } from './outgoing.ts';
import type { UrlAsk } from './page/ask.ts';
import type { PageCall } from './page/plan.ts';

/** A question with a form, as a channel is given it. */
export interface FormQuestion<T = unknown> {
  readonly ask: ElicitAsk<FormInput>;
  readonly form: Form<T>;
  /** Fires when the question is taken back, where it is another server's. */
  readonly withdrawn: AbortSignal | undefined;
  /** The field by which the person goes back to an earlier form, in a form of a wizard. */
  readonly wayBack?: string;
  /** Set where an answer of another channel did not count: which channel, and whether the answer was a yes. */
  readonly before?: { readonly channel: Channel; readonly saidYes: boolean };
}

/** The call a question is put for. */
export interface ChannelCall {
  readonly run: CallRun;
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly history: AskHistory;
  /** Where pages of ours can be asked on; undefined where there are none. */
  pages(): PageCall | undefined;
  /** @param onlyLink - true where the host has refused the question by itself, it seems */
  askOnPage<T>(ask: UrlAsk<T>, onlyLink: boolean): Promise<Answer<T>>;
}

/** What came of a question that was put. */
export interface Put<T> {
  readonly answer: Answer<T>;
  /** True where somebody said yes, whether or not that counts. */
  readonly saidYes: boolean;
  /** Absent where the audit was told of the answer already. */
  readonly untold?: { readonly id: string; readonly fresh: boolean };
}

export interface AskChannel {
  readonly name: Channel;
  /** True where an ask switches this channel on by naming it, whatever the server's own channels are. */
  readonly onWhereNamed: boolean;
  /** True where this question can be brought to the person of this call. */
  reaches(question: FormQuestion, call: ChannelCall): boolean;
  /** The most that an answer to this question is worth here, where it is reached. */
  assurance(question: FormQuestion, call: ChannelCall): Assurance;
  /** Puts the question, and comes back with an answer that was checked against its form. */
  put<T>(question: FormQuestion<T>, call: ChannelCall): Promise<Put<T>>;
}
