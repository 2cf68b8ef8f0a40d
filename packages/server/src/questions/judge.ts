/**
 * Turns what was recorded for an ask into a true answer: judges it, asks again if the content does not fit, and ends loops.
 * Every decision is made from the journal, so a replay decides the same; a schema library is asked once per answer, and its
 * verdict is recorded there too (validated.ts).
 *
 * - judge-A1 `accept` carries content that fits the form; nothing else is ever an accept.
 * - judge-A2 A bad answer is asked again with the reason, at most twice, then it is `cancel/invalid`.
 * - judge-A3 A decline is final for the call: the same question is not asked again, and the decline stands.
 * - judge-A4 A question that was not accepted twice, on any channel, is not asked a third time; the call ends with
 *   `ask/repeated`. So a handler that loops until somebody agrees ends, even if nobody can be asked.
 * - judge-A5 An answer below the demanded assurance never counts, and if a level is demanded, neither does one that looks
 *   automatic, even a refusal: it is the host's, and the person may know nothing of it.
 */
import { MidcallError } from '@midcall/core/errors';
import { type Answer, type Assurance, assures, type By, type Form, type Issue, type Judging } from '@midcall/core/form';
import { elapsed, type Recording } from './recording.ts';

/** The verdict on one recorded answer; `issues` if the content does not fit the form. */
export type Judged<T> =
  /** `leftOut`: names of members that the form did not ask for. */
  | { readonly answer: Answer<T>; readonly leftOut?: readonly string[] }
  | { readonly issues: readonly Issue[]; readonly by: By };

export interface JudgeOptions {
  /** The channel the question was put to. */
  readonly from: Pick<By, 'channel' | 'assurance'>;
  /** True if the host gave the recorded answer, perhaps by itself. */
  readonly byHost: boolean;
  readonly demanded: Assurance | undefined;
  /** Milliseconds; an answer faster than this looks automatic. */
  readonly suspectBelowMs: number;
  /** What the handler continues with if it was recorded that nobody could be asked. */
  readonly fallback?: unknown;
  /** Knows what the form's library said about this answer before; see validated.ts. */
  readonly judging?: Judging;
}

/** Marks an answer of the host that came faster than a person reads. */
export const suspicion = (recording: Recording, suspectBelowMs: number): Pick<By, 'suspect'> =>
  recording.kind === 'answered' && recording.ms < suspectBelowMs ? { suspect: 'too-fast' } : {};

/** Judges an answer against its form. */
export async function judge<T>(
  recording: Recording,
  form: Pick<Form<T>, 'check'>,
  options: JudgeOptions,
): Promise<Judged<T>> {
  if (recording.kind === 'fallback') {
    const by: By = { channel: 'fallback', assurance: 'relayed', elapsedMs: 0 };
    return { answer: { action: 'accept', content: options.fallback as T, by } };
  }
  const { channel, assurance } = recording.kind === 'answered' ? recording : options.from;
  const by: By = {
    channel,
    assurance,
    elapsedMs: elapsed(recording),
    ...(options.byHost ? suspicion(recording, options.suspectBelowMs) : {}),
    ...('votes' in recording && recording.votes && { votes: recording.votes }),
  };
  const cancel = (reason: 'dismissed' | 'timeout' | 'unavailable' | 'suspect' | 'error'): Judged<T> => ({
    answer: { action: 'cancel', reason, by },
  });
  if (recording.kind === 'standing-decline') return { answer: { action: 'decline', by } };
  if (recording.kind === 'unanswered') return cancel(recording.why);
  const got = recording.got as { action?: unknown; content?: unknown } | null;
  const action = got?.action;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return cancel('error');
  if (options.demanded !== undefined && by.suspect) return cancel('suspect');
  if (action === 'decline') return { answer: { action: 'decline', by } };
  if (action === 'cancel') return cancel('dismissed');
  if (options.demanded !== undefined && !assures(by.assurance, options.demanded)) return cancel('suspect');
  const checked = await form.check(got?.content, options.judging);
  if (!checked.ok) return { issues: checked.issues, by };
  const { value: content, leftOut } = checked;
  return { answer: { action: 'accept', content, by }, ...(leftOut && { leftOut }) };
}

/** The message with which a bad answer is asked again. */
export function askAgain(message: string, issues: readonly Issue[]): string {
  const reasons = issues.slice(0, 5).map(issue => issue.message);
  const more = issues.length > 5 ? ` (and ${issues.length - 5} more)` : '';
  return `${message}\n\nThe last answer did not fit. ${reasons.join(' ')}${more}`;
}

/** The answers one call already has, so that it does not ask in circles (judge-A3, judge-A4). */
export class AskHistory {
  /** How often each question was not accepted, and whether it was declined. */
  readonly #refused = new Map<string, { readonly times: number; readonly declined: boolean }>();

  /** @param asks - distinguishes questions with the same message; contains no space */
  static question(message: string, asks: string): string {
    return `${asks} ${message}`;
  }

  /** True if a decline stands for this question. */
  declined(question: string): boolean {
    return this.#refused.get(question)?.declined ?? false;
  }

  /** @returns the error that ends the call if the question has already been asked twice and not accepted */
  exhausted(question: string, message: string): MidcallError | undefined {
    if ((this.#refused.get(question)?.times ?? 0) < 2) return undefined;
    return new MidcallError(
      'ask/repeated',
      `The question '${message.slice(0, 80)}' was asked twice and not accepted, so it is not asked again. ` +
        'Go on without the answer, or ask something else.',
    );
  }

  record(question: string, answer: Answer<unknown>): void {
    if (answer.action === 'accept') return;
    const { times, declined } = this.#refused.get(question) ?? { times: 0, declined: false };
    this.#refused.set(question, { times: times + 1, declined: declined || answer.action === 'decline' });
  }
}
