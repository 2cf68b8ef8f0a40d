/**
 * The seam for channels: the ways to bring a question to the person of a call. A channel is one folder and one line in
 * ./all.ts. It says whether it reaches the person and how much assurance its answers have; puts a question; and, if the client
 * has no part in it, collects the answer or withdraws the question (`Waiting` of ./outgoing.ts, which `put` hands to the run).
 * Only ./ladder.ts chooses the channel, by what each says about itself.
 */
import type { Answer, Assurance, Channel, Form, FormInput } from '@midcall/core/form';
import type { CallRequest, Config, ElicitAsk, UrlAsk } from '../request/index.ts';
import type { AskHistory } from './judge.ts';
import type { CallRun } from './outgoing.ts';
import type { PageCall } from './page/plan.ts';

/** A question with a form, as passed to a channel. */
export interface FormQuestion<T = unknown> {
  readonly ask: ElicitAsk<FormInput>;
  readonly form: Form<T>;
  /** Fires when another server withdraws the question, if it is that server's. */
  readonly withdrawn: AbortSignal | undefined;
  /** In a wizard form, the field by which the person goes back to an earlier form. */
  readonly wayBack?: string;
  /** Set if an answer of another channel did not count: which channel it was, and whether the answer was a yes. */
  readonly before?: { readonly channel: Channel; readonly saidYes: boolean };
}

/** The call that a question belongs to. */
export interface ChannelCall {
  readonly run: CallRun;
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly history: AskHistory;
  /** Serves our pages; undefined if there are none. */
  pages(): PageCall | undefined;
  /** @param onlyLink - true if the host seems to have refused the question by itself */
  askOnPage<T>(ask: UrlAsk<T>, onlyLink: boolean): Promise<Answer<T>>;
}

/** The outcome of a question. */
export interface Put<T> {
  readonly answer: Answer<T>;
  /** True if somebody said yes, whether or not that counts. */
  readonly saidYes: boolean;
  /** Absent if the answer is already in the audit. */
  readonly untold?: {
    readonly id: string;
    readonly fresh: boolean;
    /** Names of members that the form did not ask for. */
    readonly leftOut?: readonly string[];
  };
}

export interface AskChannel {
  readonly name: Channel;
  /** True if an ask enables this channel by naming it, whatever the server's own channels are. */
  readonly onWhereNamed: boolean;
  /** True if this question can be brought to the person of this call. */
  reaches(question: FormQuestion, call: ChannelCall): boolean;
  /** The highest assurance of an answer to this question here, if the person is reached. */
  assurance(question: FormQuestion, call: ChannelCall): Assurance;
  /** Puts the question, and returns an answer that was checked against its form. */
  put<T>(question: FormQuestion<T>, call: ChannelCall): Promise<Put<T>>;
}
