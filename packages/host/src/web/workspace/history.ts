/**
 * What happened on a desk in this session: its calls, each with its questions and notices in the order they came, and its
 * questions. Ended ones are kept with their ending; the oldest are dropped first if there are too many, or if all of them
 * together are too large.
 */
import type { CallContext, Question } from '../../index.ts';
import type { Draft } from '../form/index.ts';
import type { CallView, NoticeView, QuestionView } from './views.ts';

interface CallRecord extends Omit<CallView, 'items'> {
  readonly items: (QuestionView | NoticeView)[];
  /** How many characters its arguments and its result have. */
  readonly weight: number;
}

interface QuestionRecord extends QuestionView {
  /** How many characters the question and its answer have. */
  readonly weight: number;
}

const rememberedCalls = 1_000;
const rememberedQuestions = 2_000;
const rememberedNotices = 500;
/** The most characters of all arguments and results; the newest call is kept whatever its size. */
const rememberedCharacters = 200_000_000;
/** The most characters of all questions and answers. */
const rememberedWords = 50_000_000;
/** The most notices of one call that are shown; a server can cause any number, and the audit record has them all. */
const shownNotices = 100;

export class History {
  readonly #calls = new Map<string, CallRecord>();
  readonly #questions = new Map<string, QuestionRecord>();
  #notices: readonly NoticeView[] = [];
  #weight = 0;
  #questionWeight = 0;

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

  /** Decisions that were made without asking, newest first. */
  notices(): readonly NoticeView[] {
    return [...this.#notices].reverse();
  }

  /** A call began. Reported again, it stays unchanged, and continues if it had ended: as a task, it can be resumed. */
  started(context: CallContext, serverId: string, startedAt: number): void {
    const before = this.#calls.get(context.id);
    if (before) {
      const { outcome: _, endedAt: __, ...running } = before;
      this.#calls.set(context.id, running);
      return;
    }
    const weight = weightOf(context.arguments);
    this.#calls.set(context.id, { context, serverId, startedAt, items: [], weight });
    this.#weight += weight;
    this.#forgetCalls();
  }

  /** Calls of earlier sessions, oldest first, before any of this one. */
  restore(calls: readonly Omit<CallView, 'items'>[]): void {
    for (const call of calls) {
      const weight = weightOf(call.context.arguments) + weightOf(call.outcome);
      this.#calls.set(call.context.id, { ...call, items: [], weight });
      this.#weight += weight;
    }
    this.#forgetCalls();
  }

  /** Forgets every call that has ended, and what was asked in it. */
  clear(): void {
    for (const [id, call] of this.#calls) {
      if (call.outcome === undefined) continue;
      this.#weight -= call.weight;
      this.#calls.delete(id);
    }
    for (const [id, { ending, weight }] of this.#questions) {
      if (!ending) continue;
      this.#questionWeight -= weight;
      this.#questions.delete(id);
    }
    this.#notices = [];
  }

  /** Adds what has become known about a call. */
  update(
    callId: string,
    change: Pick<CallView, 'here' | 'progress' | 'task' | 'title' | 'wait'> | Pick<CallView, 'outcome' | 'endedAt'>,
  ): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    const result = 'outcome' in change && change.outcome && 'result' in change.outcome && change.outcome.result;
    const weight = call.weight + (result ? weightOf(result) : 0);
    this.#calls.set(callId, { ...call, ...change, weight });
    this.#weight += weight - call.weight;
    this.#forgetCalls(callId);
  }

  /** Something was decided without asking; if its call is not named, it may belong to any that is running. */
  noticed(view: NoticeView): void {
    this.#notices = [...this.#notices, view].slice(-rememberedNotices);
    for (const [call, perhaps] of this.#callsOf(view.serverId, view.notice.call)) {
      if (call.items.filter(item => 'notice' in item).length >= shownNotices) continue;
      call.items.push(perhaps ? { ...view, perhaps } : view);
    }
  }

  /** A question came, possibly with a call of its own, which an earlier process may have started. */
  asked(question: Question): void {
    const { call } = question;
    const view: QuestionRecord = { question, weight: weightOf({ ...question, call: undefined }) };
    this.#questions.set(question.id, view);
    this.#questionWeight += view.weight;
    this.#forgetQuestions();
    if (call) this.started(call, question.asker.id, question.askedAt);
    const calls = [...this.#callsOf(question.asker.id, call)];
    const among = calls.length > 1 ? { amongSeveral: true as const } : {};
    for (const [each, perhaps] of calls) each.items.push(perhaps ? { ...view, perhaps, ...among } : view);
  }

  /** A question ended; it keeps its place in its call, or in those that it may belong to. */
  ended(view: QuestionView): void {
    const { question, ending } = view;
    const before = this.#questions.get(question.id)?.weight;
    if (before === undefined) return;
    const record: QuestionRecord = { ...view, weight: before + weightOf(ending) };
    this.#questionWeight += record.weight - before;
    this.#replace(record);
    this.#forgetQuestions();
  }

  /** Input for a question that has ended, for copying. */
  typed(questionId: string, typed: Draft): void {
    const before = this.#questions.get(questionId);
    if (before?.ending) this.#replace({ ...before, typed });
  }

  #replace(record: QuestionRecord): void {
    this.#questions.set(record.question.id, record);
    for (const { items, at } of this.#placesOf(record.question)) {
      const before = items[at];
      const among = before && 'amongSeveral' in before ? { amongSeveral: true as const } : {};
      items[at] = before && 'perhaps' in before ? { ...record, perhaps: true, ...among } : record;
    }
  }

  /** Where a question is: in its call, or in each that it may belong to. */
  *#placesOf({ id, call }: Question): Iterable<{ readonly items: (QuestionView | NoticeView)[]; readonly at: number }> {
    const ownCall = call && this.#calls.get(call.id);
    for (const { items } of call ? (ownCall ? [ownCall] : []) : this.#calls.values()) {
      const at = items.findIndex(item => 'question' in item && item.question.id === id);
      if (at >= 0) yield { items, at };
    }
  }

  /** A call in progress can ask forever, so forgotten questions are removed from its call too. */
  #forgetQuestions(): void {
    const tooMuch = (): boolean => this.#questions.size > rememberedQuestions || this.#questionWeight > rememberedWords;
    forget(this.#questions, tooMuch, ({ ending, question, weight }) => {
      if (!ending) return false;
      this.#questionWeight -= weight;
      for (const { items, at } of this.#placesOf(question)) items.splice(at, 1);
      return true;
    });
  }

  /** The call that is named; if none is, every running call of the server, each with `perhaps`. */
  *#callsOf(serverId: string, caller: CallContext | undefined): Iterable<readonly [call: CallRecord, perhaps?: true]> {
    const call = caller && this.#calls.get(caller.id);
    if (call) yield [call];
    if (caller) return;
    for (const each of this.#calls.values())
      if (each.serverId === serverId && each.outcome === undefined) yield [each, true];
  }

  /** @param spared - the call that stays, whatever its size */
  #forgetCalls(spared?: string): void {
    const tooMuch = (): boolean => this.#calls.size > rememberedCalls || this.#weight > rememberedCharacters;
    forget(this.#calls, tooMuch, (call, id) => {
      const goes = call.outcome !== undefined && id !== spared;
      if (goes) this.#weight -= call.weight;
      return goes;
    });
  }
}

/** Drops the oldest entries that may be dropped, while there are too many. */
function forget<T>(all: Map<string, T>, tooMuch: () => boolean, goes: (value: T, key: string) => boolean): void {
  if (!tooMuch()) return;
  for (const [key, value] of all) {
    if (goes(value, key)) all.delete(key);
    if (!tooMuch()) return;
  }
}

/** About how many characters a value has; anything nested too deep to be shown does not count. */
function weightOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > 50) return 8;
  let sum = 8;
  for (const each of Object.values(value)) sum += weightOf(each, depth + 1);
  return sum;
}
