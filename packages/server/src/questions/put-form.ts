/**
 * Puts a form and judges the answer, asking again if it does not fit but never in circles (../asking/judge.ts has the rules).
 * For channels whose answers come back unjudged.
 */
import type { Answer, Assurance, Channel, Form } from '@midcall/core/form';
import type { Json } from '../base/index.ts';
import type { AskRequest, Recorded } from '../engine/index.ts';
import type { ChannelCall, FormQuestion, Put } from './channel.ts';
import { formDigest } from './form-digest.ts';
import { AskHistory, askAgain, judge } from './judge.ts';
import type { Outgoing } from './outgoing.ts';
import { recordedCheck } from './recorded-check.ts';
import { type Recording, readRecording } from './recording.ts';
import { type NotTaken, typedIn, validated } from './validated.ts';

/** How often a bad answer is asked for again. */
export const ASK_AGAIN = 2;

/** How a channel puts a form. */
export interface FormPutting<T> {
  readonly channel: Channel;
  readonly assurance: Assurance;
  /** The question, as it is asked on that channel. */
  readonly form: Pick<Form<T>, 'check'>;
  /** @param before - the previous answer, if it fitted the form but was rejected */
  outgoing(message: string, before?: NotTaken): Outgoing;
  /** What is recorded without asking, if the question was not asked before. */
  readonly instead?: (() => Recording | Promise<Recording>) | undefined;
}

/** Puts a form until an answer fits, or none will. */
export const putForm = <T>(question: FormQuestion<T>, call: ChannelCall, putting: FormPutting<T>): Promise<Put<T>> =>
  new FormTurns(question, call, putting).put(question.ask.message);

/** Not an asynchronous function, whose frame would be held for as long as a person thinks. */
class FormTurns<T> {
  readonly #question: FormQuestion<T>;
  readonly #call: ChannelCall;
  readonly #putting: FormPutting<T>;
  #attempt = 0;

  constructor(question: FormQuestion<T>, call: ChannelCall, putting: FormPutting<T>) {
    this.#question = question;
    this.#call = call;
    this.#putting = putting;
  }

  /** @param before - the previous answer, if it fitted the form but was rejected */
  put(message: string, before?: NotTaken): Promise<Put<T>> {
    try {
      const { ask, form } = this.#question;
      const { run, history } = this.#call;
      const open = {
        kind: 'elicit',
        identity: [message, formDigest(form.schema), ask.key],
        label: message,
        detail: this.#putting.outgoing(message, before),
      } as const;
      if (run.foresees(open)) return this.#ask(open, undefined);
      const question = questionOf(ask.message, form);
      const exhausted = history.exhausted(question, ask.message);
      if (exhausted) return run.fail(exhausted);
      const standing = (instead: Recording | undefined): Recording | undefined =>
        history.declined(question) ? { kind: 'standing-decline' } : instead;
      // Nothing is awaited before a question is asked: those of a round leave in the order they were asked in.
      if (!this.#putting.instead) return this.#ask(open, standing(undefined));
      return Promise.resolve(this.#putting.instead()).then(instead => this.#ask(open, standing(instead)));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #ask(open: AskRequest<Outgoing>, instead: Recording | undefined): Promise<Put<T>> {
    return this.#call.run.ask(open, instead as Json | undefined).then(recorded => this.#judged(recorded));
  }

  async #judged({ id, value, fresh }: Recorded): Promise<Put<T>> {
    const { ask } = this.#question;
    const { run, config } = this.#call;
    const recording = readRecording(value);
    let judged = await judge(recording, this.#putting.form, {
      from: this.#putting,
      demanded: ask.assurance,
      suspectBelowMs: config.suspectBelowMs,
      fallback: ask.fallback,
      judging: recordedCheck(run, ask.message, id),
    });
    let before: NotTaken | undefined;
    if (recording.kind === 'answered' && 'answer' in judged && judged.answer.action === 'accept') {
      const { content, by } = judged.answer;
      const issues = ask.validate && (await validated(run, ask, content, id));
      if (issues) {
        before = { issues, typed: typedIn(recording.got) };
        judged = { again: issues, by };
      }
    }
    if ('again' in judged && this.#attempt < ASK_AGAIN) {
      this.#attempt += 1;
      return this.put(askAgain(ask.message, judged.again), before);
    }
    const answer: Answer<T> =
      'answer' in judged ? judged.answer : { action: 'cancel', reason: 'invalid', by: judged.by };
    return {
      answer,
      saidYes: isYes(recording),
      untold: { id, fresh, ...('answer' in judged && judged.leftOut && { leftOut: judged.leftOut }) },
    };
  }
}

/** What distinguishes this question from all others of its call. */
export const questionOf = (message: string, form: Pick<Form<unknown>, 'schema'>): string =>
  AskHistory.question(message, formDigest(form.schema));

const isYes = (recording: Recording): boolean =>
  recording.kind === 'answered' && (recording.got as { readonly action?: unknown } | null)?.action === 'accept';
