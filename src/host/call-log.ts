/** The calls of one connection as a person reads them: each with its questions, what was refused, and how it ended. */
import type { AttachEvent } from './attach.ts';
import type { CallOutcome, CallProgress } from './call-runner.ts';
import type { InboxEvent } from './inbox.ts';
import type { CallContext, Ending, Question } from './question.ts';

/** One thing that happened in a call, in order. */
export type CallStep =
  | { readonly type: 'question'; readonly question: Question; readonly ending?: Ending; readonly endedAt?: number }
  | { readonly type: 'refused'; readonly kind: string; readonly by: 'host' | 'policy'; readonly why: string }
  | { readonly type: 'allowed'; readonly kind: string; readonly rule: string };

/** One call, running or over. */
export interface CallRecord {
  readonly call: CallContext;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly steps: readonly CallStep[];
  readonly progress?: CallProgress;
  readonly outcome?: CallOutcome;
  readonly endedAt?: number;
}

const kept = 200;

/** Calls by id, oldest first; those that are over are dropped past 200. */
export class CallLog {
  readonly #records = new Map<string, CallRecord>();

  records(): readonly CallRecord[] {
    return [...this.#records.values()];
  }

  get(id: string): CallRecord | undefined {
    return this.#records.get(id);
  }

  /** Takes in what a connection or the inbox told. */
  note(event: AttachEvent | InboxEvent): void {
    switch (event.type) {
      case 'call-started':
        this.#records.set(event.call.id, { call: event.call, startedAt: event.startedAt, steps: [] });
        this.#drop();
        break;
      case 'call-progress':
        this.#change(event.call.id, () => ({ progress: event.progress }));
        break;
      case 'call-ended':
        this.#change(event.call.id, () => ({ outcome: event.outcome, endedAt: event.endedAt }));
        break;
      case 'asked':
        this.#step(event.question.call, { type: 'question', question: event.question });
        break;
      case 'ended':
        this.#end(event);
        break;
      case 'refused':
        this.#step(event.call, { type: 'refused', kind: event.kind, by: event.by, why: event.why });
        break;
      case 'allowed':
        this.#step(event.call, { type: 'allowed', kind: event.kind, rule: event.rule });
        break;
      case 'page-completed':
        break;
    }
  }

  #change(id: string, next: (record: CallRecord) => Partial<CallRecord>): void {
    const record = this.#records.get(id);
    if (record) this.#records.set(id, { ...record, ...next(record) });
  }

  #step(call: CallContext | undefined, step: CallStep): void {
    if (call) this.#change(call.id, record => ({ steps: [...record.steps, step] }));
  }

  #end({ question, ending, endedAt }: Extract<InboxEvent, { type: 'ended' }>): void {
    if (!question.call) return;
    const ended = (step: CallStep): CallStep =>
      step.type === 'question' && step.question.id === question.id ? { ...step, ending, endedAt } : step;
    this.#change(question.call.id, record => ({ steps: record.steps.map(ended) }));
  }

  #drop(): void {
    for (const [id, record] of this.#records) {
      if (this.#records.size <= kept) return;
      if (record.outcome) this.#records.delete(id);
    }
  }
}
