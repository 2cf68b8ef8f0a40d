/**
 * Puts a form and judges the answer, asking again if it does not fit but never in circles (../asking/judge.ts has the rules).
 * For channels whose answers come back unjudged.
 */
import type { Answer, Assurance, Channel, Form } from '@midcall/core/form';
import { formDigest } from '../asking/form-digest.ts';
import { AskHistory, askAgain, judge } from '../asking/judge.ts';
import { recordedCheck } from '../asking/recorded-check.ts';
import { type NotTaken, typedIn, validated } from '../asking/validated.ts';
import type { Json } from '../digest.ts';
import type { ChannelCall, FormQuestion, Put } from './channel.ts';
import type { Outgoing } from './outgoing.ts';
import { type Recording, readRecording } from './recording.ts';

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

export async function putForm<T>(
  { ask, form }: FormQuestion<T>,
  { run, config, history }: ChannelCall,
  putting: FormPutting<T>,
): Promise<Put<T>> {
  const question = questionOf(ask.message, form);
  let message = ask.message;
  let before: NotTaken | undefined;
  for (let attempt = 0; ; attempt++) {
    const open = {
      kind: 'elicit',
      identity: [message, formDigest(form.schema), ask.key],
      label: message,
      detail: putting.outgoing(message, before),
    } as const;
    let instead: Recording | undefined;
    if (!run.foresees(open)) {
      const exhausted = history.exhausted(question, ask.message);
      if (exhausted) return run.fail(exhausted);
      // Nothing is awaited before a question is asked: those of a round leave in the order they were asked in.
      if (putting.instead) instead = await putting.instead();
      if (history.declined(question)) instead = { kind: 'standing-decline' };
    }
    const { id, value, fresh } = await run.ask(open, instead as Json | undefined);
    const recording = readRecording(value);
    let judged = await judge(recording, putting.form, {
      from: putting,
      demanded: ask.assurance,
      suspectBelowMs: config.suspectBelowMs,
      fallback: ask.fallback,
      judging: recordedCheck(run, ask.message, id),
    });
    before = undefined;
    if (recording.kind === 'answered' && 'answer' in judged && judged.answer.action === 'accept') {
      const { content, by } = judged.answer;
      const issues = ask.validate && (await validated(run, ask, content, id));
      if (issues) {
        before = { issues, typed: typedIn(recording.got) };
        judged = { again: issues, by };
      }
    }
    if ('again' in judged && attempt < ASK_AGAIN) {
      message = askAgain(ask.message, judged.again);
      continue;
    }
    const answer: Answer<T> =
      'answer' in judged ? judged.answer : { action: 'cancel', reason: 'invalid', by: judged.by };
    return { answer, saidYes: isYes(recording), untold: { id, fresh } };
  }
}

/** What distinguishes this question from all others of its call. */
export const questionOf = (message: string, form: Pick<Form<unknown>, 'schema'>): string =>
  AskHistory.question(message, formDigest(form.schema));

const isYes = (recording: Recording): boolean =>
  recording.kind === 'answered' && (recording.got as { readonly action?: unknown } | null)?.action === 'accept';
