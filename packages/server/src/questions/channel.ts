/**
 * The seam for channels: the ways to bring a question to the person of a call. A channel is one folder and one line in
 * ./all.ts. It says whether it reaches the person and how much assurance its answers have; puts a question; and, if the client
 * has no part in it, collects the answer or withdraws the question (`Waiting` of ./outgoing.ts, which `put` hands to the run).
 * Whatever differs from channel to channel is a member of its descriptor: nothing else tests for one by name. Only ./ladder.ts
 * chooses the channel, by what each says about itself.
 *
 * A question on its way has five names: the handler's **ask** (`ElicitAsk`); the **question** that is checked, with its form
 * compiled (`FormQuestion`); the **open ask**, which has left the run (`OpenAsk` of the engine, with an `Outgoing`); the
 * **recording** of what came back, as the journal stores it (`Recording`); and the **answer** that the handler gets (`Answer`).
 */
import type { Answer, Assurance, CancelReason, Channel, Form, FormInput } from '@midcall/core/form';
import type { Journal } from '../engine/index.ts';
import type { CallRequest, Config, ElicitAsk, UrlAsk } from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';
import type { ApprovalCall } from './approvers/approval-call.ts';
import type { AskHistory } from './judge.ts';
import type { CallRun } from './outgoing.ts';
import type { PageCall } from './page/page-call.ts';
import type { OpenForm } from './wizard-forms.ts';

/** What a handler asks, apart from its form; with details only if its message has no room for them. */
export interface FormAsk<T> extends Omit<ElicitAsk<FormInput>, 'form' | 'fallback' | 'validate'> {
  readonly fallback?: T;
  // A method, so that a question of any form is a `FormQuestion`.
  validate?(content: T): unknown;
}

/** A checked ask with its compiled form, as passed to a channel. */
export interface FormQuestion<T = unknown> {
  readonly ask: FormAsk<T>;
  readonly form: Form<T>;
  /** Fires when another server withdraws the question, if it is that server's. */
  readonly withdrawn: AbortSignal | undefined;
  /** In a wizard form, the field by which the person goes back to an earlier form. */
  readonly wayBack?: string;
  /** Set if an answer of another channel did not count: which channel it was, and whether the answer was a yes. */
  readonly before?: { readonly channel: Channel; readonly saidYes: boolean };
}

/** Several forms as one question. */
export interface WizardQuestion extends Pick<ElicitAsk<never>, 'timeoutMs' | 'assurance' | 'channels' | 'required'> {
  readonly message: string;
  readonly forms: readonly OpenForm[];
}

/** The contents of a wizard's forms, by the name of the form. */
export type WizardContents = Readonly<Record<string, unknown>>;

/** The call that a question belongs to. */
export interface ChannelCall {
  readonly run: CallRun;
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly history: AskHistory;
  audit(event: Unstamped): void;
  /** Serves our pages; undefined if there are none. */
  readonly pages: PageCall | undefined;
  /** Takes questions to the inbox; undefined if there is none. */
  readonly approvals: ApprovalCall | undefined;
  /** @param onlyLink - true if the host seems to have refused the question by itself */
  askOnPage<T>(ask: UrlAsk<T>, onlyLink: boolean): Promise<Answer<T>>;
  /** True if answers that come by this channel are the host's, which may give them by itself. */
  isByHost(channel: Channel): boolean;
}

/** The outcome of a question. */
export interface Put<T> {
  readonly answer: Answer<T>;
  /** True if somebody said yes, whether or not that counts. */
  readonly saidYes: boolean;
  /** The answer for the audit; absent if the audit has it already. */
  readonly untold?:
    | {
        readonly id: string;
        readonly fresh: boolean;
        /** Names of members that the form did not ask for. */
        readonly leftOut?: readonly string[];
      }
    | undefined;
}

/** What a server has for its channels. */
export interface ServerChannels {
  readonly pages?: unknown;
  readonly inbox?: unknown;
  /** The channels that are switched on. */
  readonly channels: readonly Channel[];
}

/** The ask, and the tool, prompt or resource that asks it. */
export interface Asking extends Pick<CallRequest, 'registered' | 'name'> {
  readonly ask: Pick<ElicitAsk<never>, 'assurance' | 'channels' | 'from'>;
}

/** How the calls that wait on this channel are listed and ended for operators; `ref` identifies one of them. */
export interface ChannelWaiting {
  /** True while it waits. */
  look(ref: string, config: Config): Promise<boolean>;
  /** @returns false if it had ended */
  cancel(ref: string, config: Config): Promise<boolean>;
}

export interface AskChannel {
  readonly name: Channel;
  /** True if the server has this channel without naming it, provided that it lacks nothing for it. */
  readonly byDefault?: boolean;
  /** True if an ask enables this channel by naming it, whatever the server's own channels are. */
  readonly onWhereNamed: boolean;
  /** True if the host gives the answers, perhaps by itself: one that came faster than a person reads looks automatic. */
  readonly byHost?: boolean;
  /** Whose calls may end with a ticket, so that the server needs the tool `resume`; absent if nobody's. */
  readonly tickets?: 'any-client' | 'unaskable-client';
  /** The name of the tool by which answers come back with a ticket, if questions leave in the results of calls. */
  readonly answeredBy?: string;
  /** True if it shows details of any length. */
  readonly showsDetails?: true;
  /** True if our App shows the questions, so that tools are listed with it. */
  readonly byApp?: true;
  /** Why a page of `call.elicitUrl` can never be announced by this channel. */
  readonly noPages?: string;
  /** True if it asks in an inbox: others than the requester, or for an answer with a passkey. No other channel can do either. */
  readonly inInbox?: true;
  /** What the model is told of an answer that is not a yes, where this channel knows more; by why it is none. */
  readonly because?: Readonly<Partial<Record<CancelReason | 'declined' | 'not-confirmed', string>>>;
  /** Lists the calls that wait on this channel, if it puts questions apart from the client. */
  readonly waiting?: ChannelWaiting;
  /** What the server lacks for this channel, in words; undefined if nothing. */
  lacks?(server: Pick<ServerChannels, 'pages' | 'inbox'>): string | undefined;
  /** Why this channel can never put this ask, whoever the client is; undefined if it may. */
  whyNever?(asking: Asking): string | undefined;
  /** True if this question can be brought to the person of this call. */
  reaches(question: FormQuestion, call: ChannelCall): boolean;
  /** The highest assurance of an answer to this question here, if the person is reached. */
  assurance(question: FormQuestion, call: ChannelCall): Assurance;
  /**
   * True if this call has been made before, and the question that it put here was never shown. Asked only if another channel
   * reaches the person, which then gets the question; recorded, so that a replay decides the same.
   */
  unseen?(question: FormQuestion, call: ChannelCall): Promise<boolean>;
  /** Puts the question, and returns an answer that was checked against its form. */
  put<T>(question: FormQuestion<T>, call: ChannelCall): Promise<Put<T>>;
  /** Withdraws what is open here of a call that is over, by its journal; what has an outcome stays as it is. Never rejects. */
  withdraw?(journal: Journal, config: Config): Promise<void>;
  /** Puts all forms of a wizard at once; absent if this channel takes them one after another. */
  putWizard?(question: WizardQuestion, call: ChannelCall): Promise<Answer<WizardContents>>;
}

/**
 * True if a channel may put a question.
 * @param named - the channels that the ask names, if any
 */
export function isOn(
  { name, onWhereNamed }: Pick<AskChannel, 'name' | 'onWhereNamed'>,
  named: readonly Channel[] | undefined,
  server: Pick<ServerChannels, 'channels'>,
): boolean {
  const byServer = server.channels.includes(name);
  return named ? named.includes(name) && (byServer || onWhereNamed) : byServer;
}
