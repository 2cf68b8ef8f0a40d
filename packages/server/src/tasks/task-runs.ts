/**
 * Runs tasks: an answer, a deadline or a beginning adds a job, and the job makes the retry that a client would make. A job is
 * named for the task and its turn, so it may come late, twice, or to another process: it then finds that the turn is over, or
 * the claim on its retry held, and runs nothing.
 *
 * - tasks-2 An outcome is accepted once: the outcome of a turn that is already over changes nothing.
 * - tasks-6 A turn is run with the same answers however often it is begun: an answer that arrives while it is running waits for
 *   the next turn.
 * - tasks-4 For every task that is not over, a job for its turn is waiting or running, from its acknowledgement to its end; if
 *   its server was made for its owner, only while there is such a server, and again when the owner polls it.
 * - tasks-7 A cancellation is in the store before it is acknowledged.
 * - tasks-8 Everything needed to run a task again lives as long as the task: its server may be unavailable for any time.
 */
import { isMidcallError } from '@midcall/core/errors';
import { onAbort } from '@midcall/core/time';
import type { ServerContext } from '@modelcontextprotocol/server';
import { type Config, detachedOf, type FinalOutcome, taskCancelled } from '../request/index.ts';
import { type Departure, departureOf } from '../sdk-seam/index.ts';
import { closing, LiveRuns } from './live-runs.ts';
import { isOver, isReady, jobOf, type Task, unanswered } from './task.ts';
import { cancelledEnd, lost, TaskEnds, tooLateToAsk, toolGone } from './task-ends.ts';
import { keyOf } from './task-key.ts';
import type { FinishedTasks } from './task-lists.ts';
import type { TaskServers } from './task-servers.ts';
import type { TaskStore } from './task-store.ts';
import { afterRound, contextOf, failure, isInputRequired } from './turn.ts';

/** An outcome that is not in the store yet. */
interface Untaken {
  readonly turn: number;
  readonly outcome: FinalOutcome;
  readonly ctx: ServerContext;
  readonly signal: AbortSignal;
}

/** How many runs wait for a server with the tool, in a process that has just started: about a minute. */
const TOOL_TRIES = 6;

export interface TaskRunsOptions {
  readonly config: Config;
  readonly servers: TaskServers;
  readonly store: TaskStore;
  readonly finished: FinishedTasks;
  /** Called when a task has ended. */
  readonly ended: (task: Task) => void;
}

export class TaskRuns {
  readonly #config: Config;
  readonly #store: TaskStore;
  readonly #ends: TaskEnds;
  readonly #servers: TaskServers;
  /** Those in progress in this process. */
  readonly live: LiveRuns;
  /** Runs by the key of their task. */
  readonly #untaken = new Map<string, Untaken>();
  /** Runs by the name of their job. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor({ config, servers, store, finished, ended }: TaskRunsOptions) {
    this.#config = config;
    this.#store = store;
    this.#servers = servers;
    const over = (task: Task): void => {
      this.#servers.end(keyOf(task));
      ended(task);
    };
    this.#ends = new TaskEnds({ config, store, finished, ended: over });
    this.live = new LiveRuns({ config, store, endCancelled: key => this.#ends.cancel(key) });
  }

  /**
   * Continues a task if a question of its round is withdrawn: it counts as unanswered.
   * @param departure - of that round
   */
  heed(task: Task, departure: Departure | undefined): void {
    const key = keyOf(task);
    for (const [ask, withdrawn] of departure?.withdrawals ?? []) {
      const take = (): void =>
        void this.#withdraw(key, task.turn, ask).catch((error: unknown) => {
          this.#config.warn(`midcall: a question that was taken back stays open: ${(error as Error).message}`);
        });
      onAbort(withdrawn, take);
    }
  }

  /**
   * Ensures that a task continues: now, or when one of its questions is due (tasks-4). @throws MidcallError `store/unavailable`
   */
  async plan(task: Task): Promise<void> {
    if (isOver(task)) return;
    const { jobs, clock } = this.#config;
    const name = jobOf(task);
    if (task.home !== undefined || task.isCancelled || isReady(task, clock.now())) {
      await jobs.add(name);
      // The job may reach a process without a server for its owner.
      if (task.isPersonal) this.run(name, 1).catch(() => {});
    } else if (task.dueAt !== undefined) await jobs.add(`${name}/due`, task.dueAt + 1 - clock.now());
  }

  /**
   * Takes over a call that is under way in this process.
   * @param work - how it ends
   * @param stop - ends it, for a client that cancels the task
   */
  adopt(task: Task, ctx: ServerContext, work: Promise<FinalOutcome>, stop: AbortController): void {
    const { turn } = task;
    const key = keyOf(task);
    const ended = work.then(async outcome => {
      this.#untaken.set(key, { turn, outcome, ctx, signal: stop.signal });
      await this.#takeUntaken(key, turn);
    });
    // If the store is unavailable, the task's job tries again.
    this.live.track(key, stop, ended, ctx).catch(() => {});
  }

  /**
   * Ends a task; its work in this process ends first. One that is over stays unchanged. Once this has resolved, no process
   * begins any work of it, even after `kill -9` (tasks-7).
   */
  async cancel(task: Task): Promise<void> {
    const key = keyOf(task);
    if (this.live.has(key)) {
      const { clock } = this.#config;
      const mark = (current: Task): Task | undefined =>
        isOver(current) || current.isCancelled ? undefined : { ...current, isCancelled: true, updatedAt: clock.now() };
      await this.#store.changeAt(key, mark);
    }
    if (!this.live.cancel(key)) await this.#ends.cancel(key);
  }

  /**
   * Ends a task immediately, whatever work is in progress.
   * @param end - the task's end
   * @returns false if it was over before
   */
  async cancelNow(task: Task, end = cancelledEnd): Promise<boolean> {
    const key = keyOf(task);
    if (!this.live.has(key)) return (await this.#ends.cancel(key, end)) !== undefined;
    return (await this.#ends.end(key, undefined, end, () => this.live.stop(key))) !== undefined;
  }

  /** Runs one job, once at a time; rejects if it must be run again. */
  run(name: string, attempt: number): Promise<void> {
    const underWay = this.#underWay.get(name);
    if (underWay) return underWay;
    const run = this.#runOnce(name, attempt).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, run);
    return run;
  }

  async #runOnce(name: string, attempt: number): Promise<void> {
    const { key, turn, isDue } = partsOf(name);
    await this.live.idle(key);
    if (this.live.isClosing) throw closing;
    if (this.#untaken.has(key)) return this.#takeUntaken(key, turn);
    const stop = new AbortController();
    return this.live.track(key, stop, this.#turn(key, turn, isDue, stop, attempt));
  }

  async #turn(key: string, turn: number, isDue: boolean, stop: AbortController, attempt: number): Promise<void> {
    const task = await this.#store.readAt(key);
    if (!task || isOver(task)) return;
    // The process that took the last outcome may have died before it added the next job.
    if (task.turn !== turn) return this.plan(task);
    if (task.home !== undefined) return this.#seekHome(key, task.home, turn);
    if (task.isCancelled) {
      await this.#ends.cancel(key);
      return;
    }
    if (!isReady(task, this.#config.clock.now())) {
      if (isDue) throw new Error('The question is not due yet.');
      return;
    }
    const binding = this.#servers.of(task);
    if (!binding) {
      // It is planned again when its owner comes back.
      if (task.isPersonal) return;
      if (attempt < TOOL_TRIES) throw new Error(`No server here has the tool '${task.name}'.`);
      await this.#ends.end(key, turn, toolGone(task.name));
      return;
    }
    const begun = await this.#begin(key, task);
    if (!begun || isOver(begun)) return;
    if (begun.turn !== turn) return this.plan(begun);
    const isStanding = async (): Promise<boolean> => {
      const current = await this.#store.readAt(key);
      return current !== undefined && current.turn === turn && !isOver(current);
    };
    const ctx = contextOf(begun, {
      signal: stop.signal,
      over: binding.over,
      ...(!begun.isPresented && { isStanding }),
      tell: waitsFor => void this.#tell(key, turn, waitsFor).catch(() => {}),
    });
    this.live.answers(key, ctx);
    const { name, arguments: args, meta } = begun;
    const request = { method: 'tools/call', params: { name, arguments: args, ...(meta && { _meta: meta }) } } as const;
    const outcome = await binding.handler(request, ctx).then(
      (result): FinalOutcome => ({ result }),
      (error: unknown): FinalOutcome => ({ error }),
    );
    this.#untaken.set(key, { turn, outcome, ctx, signal: stop.signal });
    await this.#takeUntaken(key, turn);
  }

  /**
   * Records which answers were missing when a deadline started a turn (tasks-6): whoever runs it again must use the same ones,
   * or the claim on its retry refuses it.
   * @returns the task as it is run, or as somebody else has changed it; undefined if it is no more
   */
  async #begin(key: string, task: Task): Promise<Task | undefined> {
    const isRecorded = (each: Task): boolean =>
      each.without !== undefined || Object.keys(unanswered(each)).length === 0 || isOver(each);
    if (isRecorded(task)) return task;
    const changed = await this.#store.changeAt(key, current =>
      current.turn !== task.turn || isRecorded(current)
        ? undefined
        : { ...current, without: Object.keys(unanswered(current)) },
    );
    return changed ?? this.#store.readAt(key);
  }

  /** Stores this process's outcome of a turn; rejects if the store cannot be written, or the turn continues. */
  async #takeUntaken(key: string, turn: number): Promise<void> {
    const untaken = this.#untaken.get(key);
    if (untaken?.turn !== turn) {
      this.#untaken.delete(key);
      const task = await this.#store.readAt(key);
      return task && this.plan(task);
    }
    const { outcome, ctx, signal } = untaken;
    if (signal.reason === closing || (signal.reason !== taskCancelled && isElsewhere(outcome))) {
      this.#untaken.delete(key);
      // Another process continues it, or runs it already; if that one dies, this one follows.
      throw signal.reason === closing ? closing : (outcome as { error: Error }).error;
    }
    const task = await this.#keep(key, turn, signal.reason === taskCancelled ? { cancelled: true } : outcome, ctx);
    this.#untaken.delete(key);
    await detachedOf(ctx)
      ?.settle?.()
      .catch(() => {});
    if (task) await this.plan(task);
  }

  /** Stores the outcome of a turn (tasks-2). @returns the task if it continues */
  async #keep(
    key: string,
    turn: number,
    outcome: FinalOutcome | { readonly cancelled: true },
    ctx: ServerContext,
  ): Promise<Task | undefined> {
    const { clock, warn } = this.#config;
    const { until = Number.POSITIVE_INFINITY } = detachedOf(ctx) ?? {};
    const asks = 'result' in outcome && isInputRequired(outcome.result);
    if (asks && clock.now() < until) {
      const departure = departureOf(ctx);
      const next = afterRound(outcome.result, departure, this.#config);
      const changed = await this.#store.changeAt(key, current => {
        if (current.turn !== turn || isOver(current)) return undefined;
        const { home: _, dueAt: __, without: ___, isPresented: ____, statusMessage: _____, ...rest } = current;
        // Questions of this round that have been answered are not asked again (tasks-6).
        const early = Object.entries(current.answers).filter(([ask]) => Object.hasOwn(next.inputRequests ?? {}, ask));
        return { ...rest, ...next, answers: Object.fromEntries(early), turn: turn + 1, updatedAt: clock.now() };
      });
      if (changed) this.heed(changed, departure);
      return changed;
    }
    const end =
      'cancelled' in outcome
        ? cancelledEnd
        : asks
          ? tooLateToAsk
          : 'result' in outcome
            ? ({ status: 'completed', result: outcome.result } as const)
            : failure(outcome.error);
    const ended = await this.#ends.end(key, turn, end);
    // What it did is in the audit.
    if (!ended && clock.now() > until && !(await this.#store.readAt(key)))
      warn('midcall: the result of a task was not kept: its lifetime was over long before its work was.');
    return undefined;
  }

  async #withdraw(key: string, turn: number, ask: string): Promise<void> {
    const now = this.#config.clock.now();
    const changed = await this.#store.changeAt(key, current =>
      current.turn !== turn || isOver(current) || !Object.hasOwn(unanswered(current), ask)
        ? undefined
        : { ...current, answers: { ...current.answers, [ask]: { value: null, at: now } }, updatedAt: now },
    );
    if (changed) await this.plan(changed);
  }

  /** Says in a task what its present turn waits for. */
  async #tell(key: string, turn: number, statusMessage: string): Promise<void> {
    const updatedAt = this.#config.clock.now();
    await this.#store.changeAt(key, current =>
      current.turn !== turn || isOver(current) || current.statusMessage === statusMessage
        ? undefined
        : { ...current, statusMessage, updatedAt },
    );
  }

  /**
   * A call whose first run is in a process: if that is alive, this job waits for it; if it is gone, nobody knows what took
   * effect.
   */
  async #seekHome(key: string, home: string, turn: number): Promise<void> {
    if (await this.live.isPresent(home)) throw new Error('Another process runs this call.');
    await this.#ends.end(key, turn, lost);
  }
}

function partsOf(name: string): { readonly key: string; readonly turn: number; readonly isDue: boolean } {
  const [key = '', turn, due] = name.split('/');
  return { key, turn: Number(turn), isDue: due !== undefined };
}

const isElsewhere = (outcome: FinalOutcome): boolean =>
  'error' in outcome && isMidcallError(outcome.error, 'call/interrupted');
