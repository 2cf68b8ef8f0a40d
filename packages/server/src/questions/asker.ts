/**
 * Asks the questions of one run: checks each, uses the channel that the ladder selects, and tries the next one if an answer
 * does not count. Objects that most handlers never use are created lazily, since many calls may be waiting at once.
 */

import { MidcallError } from '@midcall/core/errors';
import {
  type Answer,
  form as compile,
  type Form,
  type FormInput,
  type FormValue,
  isForm,
  refuseSecretMessage,
} from '@midcall/core/form';
import { shortLabel } from '../engine/index.ts';
import {
  type CallRequest,
  type Config,
  type ElicitAsk,
  missingCapability,
  type UrlAsk,
  type WizardAsk,
  type WizardContent,
  type WizardForms,
} from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';
import type { AskChannel, FormQuestion, Put } from './channel.ts';
import { checkAsk } from './check-ask.ts';
import { checkChannels, checkFallback } from './check-channels.ts';
import { AskHistory } from './judge.ts';
import { ladder, wouldCount } from './ladder.ts';
import { asNative, native } from './native/native.ts';
import type { CallRun } from './outgoing.ts';
import { type UrlAsker, urlAsker } from './page/asker.ts';
import type { PageCall } from './page/plan.ts';
import { putForm, questionOf } from './put-form.ts';
import { type Recording, unanswered } from './recording.ts';
import { askWizard, type WizardCall } from './wizard.ts';

export interface AskerOptions {
  readonly config: Config;
  readonly request: Pick<CallRequest, 'client' | 'registered' | 'name' | 'principal'>;
  readonly audit: (event: Unstamped) => void;
  /**
   * Called with a mistake in the use of this library, whether or not the handler lets it end the call; absent if nobody
   * listens.
   */
  readonly misused: ((error: unknown) => void) | undefined;
  /** Serves our pages; undefined if there are none. */
  readonly pages: () => PageCall | undefined;
}

/** A handler that asks more often than this is in a loop, which would never end if nobody can be asked. */
const MAX_ASKS = 1_000;
const tooMany = () =>
  new MidcallError(
    'ask/repeated',
    `This call asked ${MAX_ASKS} questions, so it was ended. Ask once for all that is needed.`,
  );

export class Asker implements WizardCall {
  readonly run: CallRun;
  readonly #options: AskerOptions;
  #history: AskHistory | undefined;
  #urlAsker: UrlAsker | undefined;
  #pages: PageCall | undefined;
  #asked = 0;

  constructor(run: CallRun, options: AskerOptions) {
    this.run = run;
    this.#options = options;
  }

  get config(): Config {
    return this.#options.config;
  }

  get request(): AskerOptions['request'] {
    return this.#options.request;
  }

  get history(): AskHistory {
    this.#history ??= new AskHistory();
    return this.#history;
  }

  pages(): PageCall | undefined {
    this.#pages ??= this.#options.pages();
    return this.#pages;
  }

  askOnPage<T>(ask: UrlAsk<T>, onlyLink: boolean): Promise<Answer<T>> {
    this.#urlAsker ??= urlAsker(this.run, { ...this.#options, pages: this.pages(), history: this.history });
    return this.#urlAsker(ask, onlyLink);
  }

  elicitUrl<T>(ask: UrlAsk<T>): Promise<Answer<T>> {
    return this.askOnPage(ask, false);
  }

  /** @param withdrawn - fires when another server withdraws the question, if it is one of another server's */
  elicit<const I extends FormInput>(given: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>> {
    try {
      const { config, request } = this;
      const ask = given as unknown as ElicitAsk<FormInput>;
      checkAsk(ask, request.principal !== undefined);
      checkChannels(ask, request, config);
      const form = (isForm(ask.form) ? ask.form : compile(ask.form)) as unknown as Form<FormValue<I>>;
      const put = (): Promise<Answer<FormValue<I>>> => {
        refuseSecretMessage(ask.message, form.fields);
        return this.putQuestion({ ask, form, withdrawn });
      };
      return ask.fallback === undefined ? put() : checkFallback(ask, request, form).then(put);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Several forms as one question. */
  wizard<F extends WizardForms>(ask: WizardAsk<F>): Promise<Answer<WizardContent<F>>> {
    const { request, config } = this;
    return askWizard(this, ask as unknown as WizardAsk<WizardForms>, each => {
      checkAsk(each, request.principal !== undefined);
      checkChannels(each, request, config);
    }) as Promise<Answer<WizardContent<F>>>;
  }

  /** Asks a checked question on one channel after another until an answer counts. */
  putQuestion<T>(question: FormQuestion<T>): Promise<Answer<T>> {
    if (++this.#asked > MAX_ASKS) return this.run.fail(tooMany());
    return this.#putBy(ladder(question, this), question);
  }

  /** Not an asynchronous function, whose frame would be held for as long as a person thinks. */
  #putBy<T>(channel: AskChannel | undefined, question: FormQuestion<T>): Promise<Answer<T>> {
    return (channel ? channel.put(question, this) : this.#putToNobody(question)).then(reached => {
      const { answer, saidYes } = reached;
      const next = channel && isSuspect(answer) ? after(channel, question, saidYes) : undefined;
      const nextChannel = next && ladder(next, this);
      return next && nextChannel ? this.#putBy(nextChannel, next) : this.#told(question, reached);
    });
  }

  /** The result if no channel can give an answer that counts: the fallback, or that nobody could be asked. */
  #putToNobody<T>(question: FormQuestion<T>): Promise<Put<T>> {
    const { fallback, required } = question.ask;
    const instead = async (): Promise<Recording> => {
      if (fallback !== undefined) return { kind: 'fallback' };
      return required ? this.run.fail(this.#required(question)) : unanswered('unavailable', 0);
    };
    return putForm(question, this, asNative(question, this, question.form, instead));
  }

  /** Remembers an answer and records it in the audit, unless the channel has done so. */
  #told<T>({ ask, form }: FormQuestion<T>, { answer, untold }: Put<T>): Answer<T> {
    if (!untold) return answer;
    if (!this.request.registered.gateway) this.history.record(questionOf(ask.message, form), answer);
    if (untold.fresh) {
      const reason = answer.action === 'cancel' ? { reason: answer.reason } : {};
      const leftOut = untold.leftOut && { leftOut: untold.leftOut };
      const told = { ask: untold.id, action: answer.action, ...reason, by: answer.by, ...leftOut };
      this.#options.audit({ kind: 'answered', ...told });
    }
    return answer;
  }

  /** The error for a handler that cannot go on unasked; a capability is demanded only if it would be enough. */
  #required(question: FormQuestion): Error {
    const { can, asks } = this.request.client;
    const needs = `This needs an answer from the person ('${shortLabel(question.ask.message)}')`;
    if (!can.form && wouldCount(native, question, this)) {
      return missingCapability(asks, { elicitation: { form: {} } }, `${needs}, and this client cannot show a form.`);
    }
    return new MidcallError('ask/unavailable', `${needs}, and no enabled channel can give one that counts.`);
  }
}

const isSuspect = (answer: Answer<unknown>): boolean => answer.action === 'cancel' && answer.reason === 'suspect';

const after = <T>({ name }: AskChannel, question: FormQuestion<T>, saidYes: boolean): FormQuestion<T> => ({
  ...question,
  before: { channel: name, saidYes },
});
