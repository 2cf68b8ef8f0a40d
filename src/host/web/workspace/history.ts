/**
 * What happened on a desk in this session: its calls, each with its questions and notices in the order they came, and its
 * questions. What ended stays with its ending; the oldest that ended go first where there are too many.
 */
import type { CallContext, Question } from '../../index.ts';
import type { CallView, NoticeView, QuestionView } from './views.ts';

interface CallRecord extends Omit<CallView, 'items'> {
  readonly items: (QuestionView | NoticeView)[];
}

const rememberedCalls = 500;
const rememberedQuestions = 2_000;
/** Notices of one call that are shown; a server can cause any number, and the audit record has them all. */
const shownNotices = 100;

export class History {
  readonly #calls = new Map<string, CallRecord>();
  readonly #questions = new Map<string, QuestionView>();

  /** Newest first. */
  calls(): readonly CallView[] {
    return [...this.#calls.values()].reverse();
  }

  call(id: string): CallView | undefined {
    return this.#calls.get(id);
  }

  /** Newest first. */
  questions(): readonly QuestionView[] {
    return [...this.#questions.values()].reverse();
  }

  question(id: string): QuestionView | undefined {
    return this.#questions.get(id);
  }

  /** A call began; told again, it stays as it is. */
  started(context: CallContext, serverId: string, startedAt: number): void {
    if (this.#calls.has(context.id)) return;
    this.#calls.set(context.id, { context, serverId, startedAt, items: [] });
    forget(this.#calls, rememberedCalls, call => call.outcome !== undefined);
  }

  /** More is known of a call. */
  update(
    callId: string,
    change: Pick<CallView, 'here'> | Pick<CallView, 'progress'> | Pick<CallView, 'outcome' | 'endedAt'>,
  ): void {
    const call = this.#calls.get(callId);
    if (call) this.#calls.set(callId, { ...call, ...change });
  }

  /** Something in a call was decided without asking. */
  noticed(callId: string, notice: NoticeView): void {
    const items = this.#calls.get(callId)?.items;
    if (items && items.filter(item => 'notice' in item).length < shownNotices) items.push(notice);
  }

  /** A question came, with a call of its own perhaps, which an earlier process may have begun. */
  asked(question: Question): void {
    const view: QuestionView = { question };
    this.#questions.set(question.id, view);
    forget(this.#questions, rememberedQuestions, each => each.ending !== undefined);
    if (!question.call) return;
    this.started(question.call, question.asker.id, question.askedAt);
    this.#calls.get(question.call.id)?.items.push(view);
  }

  /** A question ended; it keeps its place in its call. */
  ended(view: QuestionView): void {
    const { question } = view;
    this.#questions.set(question.id, view);
    const items = question.call && this.#calls.get(question.call.id)?.items;
    const at = items?.findIndex(item => 'question' in item && item.question.id === question.id) ?? -1;
    if (items && at >= 0) items[at] = view;
  }
}

/** Drops the oldest entries that may go, down to a number. */
function forget<T>(all: Map<string, T>, most: number, mayGo: (value: T) => boolean): void {
  if (all.size <= most) return;
  for (const [key, value] of all) {
    if (all.size <= most) return;
    if (mayGo(value)) all.delete(key);
  }
}
