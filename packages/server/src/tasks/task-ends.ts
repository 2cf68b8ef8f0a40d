/** Ends tasks: what they end with, what they leave behind, and who is notified. */

import { digest } from '../base/index.ts';
import { withdrawOpen } from '../questions/index.ts';
import { type Config, lostCall, principalKey } from '../request/index.ts';
import { dropJournal, journalIn } from '../state/index.ts';
import { isOver, jobOf, latestOf, lifetimeAtEnd, type Task } from './task.ts';
import type { FinishedTasks } from './task-lists.ts';
import type { TaskStore } from './task-store.ts';
import { failure } from './turn.ts';

export interface TaskEndsOptions {
  readonly config: Config;
  readonly store: TaskStore;
  readonly finished: FinishedTasks;
  /** Called when a task has ended. */
  readonly ended: (task: Task) => void;
}

export class TaskEnds {
  readonly #options: TaskEndsOptions;

  constructor(options: TaskEndsOptions) {
    this.#options = options;
  }

  /**
   * Ends a task that is not over.
   * @param turn - the turn that this ends; undefined for the present one
   * @param isOverNow - called once it is over, before its questions are withdrawn
   * @returns the task as it was before; undefined if it was over, or at another turn
   */
  async end(
    key: string,
    turn: number | undefined,
    end: Partial<Task>,
    isOverNow = (): void => {},
  ): Promise<Task | undefined> {
    const { config, store, finished, ended } = this.#options;
    let before: Task | undefined;
    const changed = await store.changeAt(key, current => {
      if (isOver(current) || (turn !== undefined && current.turn !== turn)) return undefined;
      before = current;
      const { state: _, dueAt: __, home: ___, without: ____, share: _____, meta: ______, ...others } = current;
      const { statusMessage: _______, ...rest } = others;
      const now = config.clock.now();
      return {
        ...rest,
        ...{ arguments: undefined, envelope: undefined, inputRequests: {}, answers: {} },
        ...end,
        ...{ ttlMs: lifetimeAtEnd(current, now), updatedAt: now },
      };
    });
    if (!changed || !before) return undefined;
    ended(changed);
    isOverNow();
    await config.jobs.remove(`${jobOf(changed)}/due`);
    if (changed.status === 'cancelled' && before.state !== undefined) {
      await journalIn(before.state, config).then(
        journal => withdrawOpen(journal, config),
        () => {},
      );
    }
    await this.#free(before);
    // A task that could not be added to the finished ones stays until its time is up.
    await finished.add(changed).catch(() => {});
    return before;
  }

  /** Ends a task that is not being run as cancelled by its client. @returns undefined if it was over */
  async cancel(key: string, end = cancelledEnd): Promise<Task | undefined> {
    const task = await this.end(key, undefined, end);
    if (!task) return undefined;
    const { principal, name, flow = '' } = task;
    const call = { flow, method: 'tools/call', name, arguments: digest(task.arguments ?? {}), principal } as const;
    const { audit, clock } = this.#options.config;
    audit?.({ at: clock.now(), call, kind: 'ended', outcome: 'cancelled' });
    return task;
  }

  /** Gives back what a task that is now over took of the store. */
  async #free(before: Task): Promise<void> {
    const { config } = this.#options;
    const { principal, state, isPresented, share = 0 } = before;
    const person = principalKey(principal);
    // Its client may present the same state, which is then recognized as answered.
    if (state !== undefined && !isPresented) await dropJournal(state, person, config).catch(() => {});
    await config.shares.give(person, { characters: share, until: latestOf(before) });
  }
}

export const cancelledEnd: Partial<Task> = { status: 'cancelled', statusMessage: 'The client cancelled this task.' };
export const endedByOperator: Partial<Task> = {
  status: 'cancelled',
  statusMessage: 'This task was ended by whoever runs the server.',
};

/** The error of a task whose server no longer has its tool. */
export const toolGone = (name: string): Partial<Task> =>
  failure({
    code: -32602,
    message: `This server no longer has the tool '${name}', so the call cannot go on. What its steps did before stays done.`,
  });

/** The error of a task that was to ask something when its lifetime was over. */
export const tooLateToAsk: Partial<Task> = failure({
  code: -32603,
  message:
    'The lifetime of this task was over before it could ask its next question. What its steps did before stays done. Find out ' +
    'before calling again.',
});

/** The error of a task whose first run was in a process that is gone. */
export const lost: Partial<Task> = failure(lostCall);
