/**
 * The only path from a server's request to a person: policy first, then the inbox, with the call's timeout paused and every step
 * in the audit record.
 */

import type { MidcallError } from '@midcall/core/errors';
import { counted, visible } from '@midcall/core/text';
import { type Clock, MAX_DATE_MS, steadyNow } from '@midcall/core/time';
import type { ProtocolError } from '@modelcontextprotocol/client';
import type { Audit } from '../audit/index.ts';
import { serverSendsRequests } from '../base/index.ts';
import type { Calls, RunningCall } from '../calls/index.ts';
import type { Inbox } from '../inbox/index.ts';
import type { Policy, Subject } from '../policy/index.ts';
import {
  type Asker,
  type CallContext,
  type Ending,
  type FormQuestion,
  type Question,
  secretsOf,
} from '../question/index.ts';

/** Events of one connection besides the inbox's. */
export type Notice =
  /** A request that was never shown as a question, and why. */
  | {
      readonly type: 'refused';
      readonly kind: string;
      readonly by: 'host' | 'policy';
      readonly why: string;
      readonly call?: CallContext;
    }
  /** Something a decision of the person answered. */
  | { readonly type: 'allowed'; readonly kind: string; readonly decision: string; readonly call?: CallContext };

/** The parts that all questions share. */
export type Frame = Pick<Question, 'id' | 'asker' | 'askedAt'> & { readonly call?: CallContext };

/** One request in progress. */
export interface QuestionSource {
  /** Becomes the question's id. */
  readonly id: string;
  readonly subject: Subject;
  readonly call: RunningCall | undefined;
  /** Fires when the server withdraws the request or disconnects; its reason may be an {@link Ending}. */
  readonly signal: AbortSignal;
}

export interface AskingOptions {
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly audit: Audit;
  readonly calls: Calls;
  readonly clock: Clock;
  /** Who asks, as far as is known by now. */
  readonly asker: () => Asker;
  readonly notify: (notice: Notice) => void;
  /** The principal that the server is reached for; see `AttachOptions`. */
  readonly principal?: string;
  /** Milliseconds a person has per question; forever if absent. */
  readonly answerTimeoutMs?: number;
}

/** How many refusals of one connection are recorded and reported; a server could otherwise fill a disk with them. */
const recorded = { perWindow: 60, windowMs: 60_000 } as const;

/** The most characters of the open questions of one connection, unless it is one alone: each process that shows them has them several times. */
const mostOpen = 16 * 1024 * 1024;

/** Asks for one connection. */
export class Asking {
  readonly #options: AskingOptions;
  /** The characters of the questions that are open. */
  #open = 0;
  #refusedAt: readonly number[] = [];
  #unrecorded = 0;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  asker(): Asker {
    return this.#options.asker();
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Milliseconds from an arbitrary start, to measure durations with. */
  steadyNow(): number {
    return steadyNow(this.#options.clock);
  }

  /**
   * Puts a question to the person unless policy decides first.
   * @param build - the question, given its frame
   * @returns its ending; `answered` via `policy` if a decision allows it, `refused-by-policy` if one refuses it
   */
  async put(source: QuestionSource, build: (frame: Frame) => Question): Promise<Ending> {
    const { inbox, policy, clock } = this.#options;
    const asker = this.asker();
    const call = source.call?.context;
    const about = { asker, ...(call && { call }) };
    const asked = inbox.list().filter(question => question.asker.id === asker.id && question.kind !== 'call');
    const verdict = policy.judge(asker.id, source.subject, asked.length, asker.origin);
    if (verdict.do === 'refuse') {
      this.refused(source.subject, 'policy', verdict.why, call);
      return { how: 'refused-by-policy', decision: verdict.why };
    }
    if (verdict.do === 'allow') {
      this.allowed(source.subject, verdict.decision, call);
      return { how: 'answered', via: 'policy' };
    }
    policy.count(asker.id);
    const question = build({ id: source.id, ...about, askedAt: clock.now() });
    const size = JSON.stringify(question).length;
    if (this.#open > 0 && this.#open + size > mostOpen) {
      const why = `What this server has asked and nobody has answered is ${this.#open} characters long; with this it would be more than ${mostOpen}.`;
      this.refused(source.subject, 'policy', why, call);
      return { how: 'refused-by-policy', decision: why };
    }
    this.#open += size;
    try {
      return await this.ask(source, question);
    } finally {
      this.#open -= size;
    }
  }

  /** Asks without a verdict, for what follows from an answer that the person has already given. */
  async ask(source: Pick<QuestionSource, 'call' | 'signal'>, question: Question): Promise<Ending> {
    const resume = this.#options.calls.pause(source.call);
    try {
      return await this.askOwn(question, source.signal);
    } finally {
      resume();
    }
  }

  /** Asks a question of this host itself: no decision about the server concerns it, and no call of the server waits for it. */
  async askOwn(unlimited: Question, signal: AbortSignal): Promise<Ending> {
    const { inbox, audit, clock, principal } = this.#options;
    const { timeoutMs, question } = this.#limited(unlimited);
    const about = { asker: question.asker, call: question.call, principal };
    const { id, kind } = question;
    const ended = inbox.ask(question, { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
    audit.record({ type: 'asked', question: id, kind, about: aboutOf(question), shownBy: inbox.views() }, about);
    const ending = await ended;
    const via = 'via' in ending ? { via: ending.via } : {};
    const decision = 'decision' in ending ? { decision: ending.decision } : {};
    const leftOut = 'leftOut' in ending ? { leftOut: ending.leftOut } : {};
    const elapsedMs = clock.now() - question.askedAt;
    audit.record(
      { type: 'ended', question: id, kind, how: ending.how, ...via, ...decision, ...leftOut, elapsedMs },
      about,
    );
    return ending;
  }

  /** Records what a decision of the person answered, and tells the views. */
  allowed(kind: string, decision: string, call: CallContext | undefined): void {
    const { audit, principal } = this.#options;
    audit.record({ type: 'allowed', kind, decision }, { asker: this.asker(), call, principal });
    this.#options.notify({ type: 'allowed', kind, decision, ...(call && { call }) });
  }

  /** Records what rules would have done, or what became of a grant. */
  noted(what: string, call: CallContext): void {
    const { audit, principal } = this.#options;
    audit.record({ type: 'policy', what }, { asker: this.asker(), call, principal });
  }

  /**
   * A question with the time at which it ends, and the milliseconds after which this host ends it itself. How long a server keeps
   * a task is no such time: it stops waiting for an answer long before that, and does not say when.
   */
  #limited(question: Question): { readonly question: Question; readonly timeoutMs?: number } {
    const { inbox, clock, answerTimeoutMs } = this.#options;
    // A question from an earlier process keeps the deadline it was given then.
    const askedAt = inbox.get(question.id)?.askedAt ?? question.askedAt;
    const until = answerTimeoutMs === undefined ? undefined : askedAt + answerTimeoutMs;
    const ends = [question.openUntil, until].flatMap(each => (each !== undefined && each <= MAX_DATE_MS ? [each] : []));
    const { openUntil: _, ...unlimited } = question;
    return {
      question: ends.length === 0 ? unlimited : { ...unlimited, openUntil: Math.min(...ends) },
      ...(until !== undefined && { timeoutMs: Math.max(0, until - clock.now()) }),
    };
  }

  /** True if a decision of the person refuses this subject to the server. */
  refuses(subject: Subject): boolean {
    const { id, origin } = this.asker();
    const verdict = this.#options.policy.judge(id, subject, 0, origin);
    return verdict.do === 'refuse' && verdict.decision !== 'limit';
  }

  /**
   * The error for a request that gets no answer.
   * @param sent - to the server, whose request it was
   * @param ended - if there is nothing to send it to, and the call ends with it
   */
  unanswered(sent: ProtocolError, ended: MidcallError): Error {
    return serverSendsRequests(this.asker().era) ? sent : ended;
  }

  /** Records a request that is not shown, and tells the views; beyond the limit, only counts it. */
  refused(kind: string, by: 'host' | 'policy', reason: string, call: CallContext | undefined): void {
    const now = this.steadyNow();
    const recent = this.#refusedAt.filter(at => now - at < recorded.windowMs);
    if (recent.length >= recorded.perWindow) {
      this.#unrecorded += 1;
      return;
    }
    const last = recent.length === recorded.perWindow - 1;
    const why = [
      reason,
      ...(this.#unrecorded > 0 ? [`${counted(this.#unrecorded, 'refusal')} before this one went unrecorded.`] : []),
      ...(last ? ['This happens so often that further refusals are only counted.'] : []),
    ].join(' ');
    this.#refusedAt = [...recent, now];
    this.#unrecorded = 0;
    const { audit, principal } = this.#options;
    audit.record({ type: 'refused', kind, by, why }, { asker: this.asker(), call, principal });
    this.#options.notify({ type: 'refused', kind, by, why, ...(call && { call }) });
  }
}

/** A line break in a message is not escaped: the record has one line for each entry. */
const onOneLine = (text: string): string => visible(text.replace(/(?<!\s)\s*\n\s*/g, ' '), { max: 500 });

/** A field that asks for a secret is recorded as such. */
function fieldNames(question: FormQuestion): readonly string[] {
  const secrets = secretsOf(question);
  return question.fields.map(({ name }) => (secrets.has(name) ? `${name}: asks for a secret` : name));
}

/** What a question is about, for the record: the server's words cut short, the names of fields, the origin of a URL. */
function aboutOf(question: Question): string {
  switch (question.kind) {
    case 'form':
      return onOneLine(`${question.message} [${fieldNames(question).join(', ')}]`);
    case 'url':
    case 'url-finish':
      return onOneLine(`${question.message} [${question.url.readableHost ?? question.url.parts.domain}]`);
    case 'sign-in':
      return onOneLine(`sign-in at ${question.issuer} [${question.scopes.join(', ')}]`);
    case 'sampling-request':
      return `${counted(question.messages.length, 'message')} for the model '${question.model.name}', at most ${counted(question.maxTokens, 'token')}`;
    case 'sampling-reply':
      return `reply of ${question.model.name}`;
    case 'call':
      return `may ${visible(question.call.name, { max: 100 })} be called`;
    case 'roots':
      return counted(question.roots.length, 'directory', 'directories');
  }
}
