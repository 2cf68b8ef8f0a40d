/**
 * Puts a question and asks again if the answer does not fit, but never in circles (./judge.ts has the rules).
 */
import type { Assurance, By, Channel, Form, Issue } from '@midcall/core/form';
import { digest } from '../base/index.ts';
import type { ChannelCall, FormQuestion, Put } from './channel.ts';
import { formDigest } from './form-digest.ts';
import { AskHistory, askAgain, type Judged, judge } from './judge.ts';
import type { Outgoing } from './outgoing.ts';
import { type Recording, readRecording } from './recording.ts';
import { type NotTaken, recordedCheck, typedIn, validated } from './validated.ts';

/** How often a bad answer is asked for again. */
export const ASK_AGAIN = 2;

/** One answer of a channel, judged by the question's form. */
export interface Attempt<T> extends Pick<Put<T>, 'untold'> {
  readonly judged: Judged<T>;
  /** The answer as it came: an action, and its content; undefined if nobody answered. */
  readonly got: unknown;
  /** Distinguishes this answer from all others of the call. */
  readonly identity: unknown;
}

/**
 * Puts a question until an answer fits, or none will.
 * @param put - puts it once; `before` is the previous answer, if it fitted the form but was rejected by `validate`
 */
export async function putUntilItFits<T>(
  { ask }: FormQuestion<T>,
  { run }: Pick<ChannelCall, 'run'>,
  put: (message: string, before: NotTaken | undefined) => Promise<Attempt<T>>,
): Promise<Put<T>> {
  let message = ask.message;
  let before: NotTaken | undefined;
  for (let attempt = 0; ; attempt++) {
    const { judged, got, identity, untold } = await put(message, before);
    const saidYes = (got as { readonly action?: unknown } | null | undefined)?.action === 'accept';
    let rejected: { readonly issues: readonly Issue[]; readonly by: By };
    if ('issues' in judged) {
      rejected = judged;
      before = undefined;
    } else {
      const { answer } = judged;
      const issues =
        saidYes && answer.action === 'accept' ? await validated(run, ask, answer.content, identity) : undefined;
      if (!issues) return { answer, saidYes, untold };
      rejected = { issues, by: answer.by };
      before = { issues, typed: typedIn(got) };
    }
    if (attempt === ASK_AGAIN)
      return { answer: { action: 'cancel', reason: 'invalid', by: rejected.by }, saidYes, untold };
    message = askAgain(ask.message, rejected.issues);
  }
}

/** How a channel puts a form whose answers come back unjudged. */
export interface FormRoute<T> {
  readonly channel: Channel;
  readonly assurance: Assurance;
  /** The question's form, as it is asked on that channel. */
  readonly form: Pick<Form<T>, 'check'>;
  /** The question as it leaves. @param before - the previous answer, if it fitted the form but was rejected */
  outgoing(message: string, before?: NotTaken): Outgoing;
  /** What is recorded without asking, if no earlier run has recorded anything. */
  readonly instead?: (() => Promise<Recording>) | undefined;
}

/** Puts a form through the run until an answer fits, or none will. */
export const putForm = <T>(question: FormQuestion<T>, call: ChannelCall, route: FormRoute<T>): Promise<Put<T>> =>
  putUntilItFits(question, call, async (message, before) => {
    const { ask, form } = question;
    const { run, history, config } = call;
    const request = {
      kind: 'elicit',
      identity: [message, formDigest(form.schema), ask.key],
      label: message,
      detail: route.outgoing(message, before),
    } as const;
    let instead: Recording | undefined;
    if (!run.foresees(request)) {
      const asked = historyKeyOf(ask, form);
      const exhausted = history.exhausted(asked, ask.message);
      if (exhausted) return run.fail(exhausted);
      // Nothing is awaited before a question is asked: those of a round leave in the order they were asked in.
      if (route.instead) instead = await route.instead();
      if (history.declined(asked)) instead = { kind: 'standing-decline' };
    }
    const { id, value, fresh } = await run.ask(request, instead);
    const recording = readRecording(value);
    const got = recording.kind === 'answered' ? recording.got : undefined;
    const judged = await judge(recording, route.form, {
      from: route,
      byHost: recording.kind === 'answered' && call.isByHost(recording.channel),
      demanded: ask.assurance,
      suspectBelowMs: config.suspectBelowMs,
      fallback: ask.fallback,
      judging: recordedCheck(run, ask.message, id),
    });
    const leftOut = 'answer' in judged && judged.leftOut && { leftOut: judged.leftOut };
    return { judged, got, identity: id, untold: { id, fresh, ...leftOut } };
  });

/** What distinguishes this question from all others of its call: a refusal of one person is not that of others. */
export const historyKeyOf = (
  { message, from }: Pick<FormQuestion['ask'], 'message' | 'from'>,
  form: Pick<Form<unknown>, 'schema'>,
): string => AskHistory.question(message, `${formDigest(form.schema)}${from ? digest(from) : ''}`);
