/**
 * What is run of tasks: an answer, a deadline or a beginning adds a job, and the job makes the retry that a client would make.
 * A job is named for the task and its turn, so it may come late, twice, or to another process: it then finds that the turn
 * is over, or the claim on its retry held, and runs nothing.
 *
 * - tasks-2 An outcome is taken once: whoever brings the outcome of a turn that is over changes nothing.
 * - tasks-4 Of every task that is not over, a job for its turn waits or is being run, from its acknowledgement to its end.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Config } from '../config.ts';
import type { Departure } from '../departure.ts';
import { detachedOf } from '../detached.ts';
import { digest } from '../digest.ts';
import type { Registered } from '../request.ts';
import { departureOf } from '../sdk-seam/request-slot.ts';
import { nameOf } from '../sdk-seam/server-name.ts';
import { GatewayTasks } from './gateway-tasks.ts';
import { isOver, isReady, type Task, unanswered } from './task.ts';
import type { TaskStore } from './task-store.ts';
import { afterRound, contextOf, failure, isInputRequired } from './turn.ts';

/** A handler of `tools/call` as the SDK has it, with everything that the SDK does around the author's. */
export type CallHandler = (request: CallToolRequest, ctx: ServerContext) => Promise<unknown>;

export interface CallToolRequest {
  readonly method: 'tools/call';
  readonly params: {
    readonly name: string;
    readonly arguments?: unknown;
    readonly task?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** What came of a run. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** A run under way in this process. */
interface Live {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  ctx?: ServerContext;
}

/** An outcome that is not in the store yet. */
interface Untaken {
  readonly turn: number;
  readonly outcome: Outcome;
  readonly ctx: ServerContext;
  readonly signal: AbortSignal;
}

/** How long a process that runs calls is taken to be alive without a sign of it, in milliseconds. */
const PRESENT_MS = 60_000;
/** Runs for which a server with the tool is waited for, after one that has just been started: about a minute. */
const TOOL_TRIES = 6;

export interface TaskRunsOptions {
  readonly config: Config;
  readonly store: TaskStore;
  /** Told when a task has ended. */
  readonly ended: (task: Task) => void;
}

export class TaskRuns {
  readonly #config: Config;
  readonly #store: TaskStore;
  readonly #ended: (task: Task) => void;
  readonly #handlers = new WeakMap<McpServer, CallHandler>();
  /** A server that has the tool, by the names of both. */
  readonly #servers = new Map<string, McpServer>();
  readonly #gateways: GatewayTasks;
  /** By the key of the task. */
  readonly #live = new Map<string, Live>();
  readonly #untaken = new Map<string, Untaken>();
  /** Keys of what is to be over when the run under way has ended. */
  readonly #toCancel = new Set<string>();
  #stopBeating: (() => void) | undefined;
  #started = false;
  #closing = false;

  constructor({ config, store, ended }: TaskRunsOptions) {
    this.#config = config;
    this.#store = store;
    this.#ended = ended;
    this.#gateways = new GatewayTasks(config.idleTimer);
  }

  /** Names this process in tasks whose first run is under way in it. */
  get home(): string {
    return this.#config.process();
  }

  /** Makes a server one that tasks can be run on. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#handlers.set(server, handler);
  }

  /**
   * A tool of a server that tasks can be run on. The first server that has it runs all its tasks.
   * @param tool - undefined for a gateway, which has every tool
   */
  offer(server: McpServer, tool?: string): void {
    const key = serverKey(this.#config.audience ?? nameOf(server), tool);
    if (!this.#servers.has(key)) this.#servers.set(key, server);
    if (this.#started) return;
    this.#started = true;
    this.#config.jobs.start((name, attempt) => this.#run(name, attempt));
  }

  /**
   * Goes on with a task where a question of its round is taken back: it is one that nobody answered.
   * @param departure - of that round
   */
  heed(task: Task, departure: Departure | undefined): void {
    const key = keyOf(task);
    for (const [ask, withdrawn] of departure?.withdrawals ?? []) {
      const take = (): void =>
        void this.#withdraw(key, task.turn, ask).catch((error: unknown) => {
          this.#config.warn(`midcall: a question that was taken back stays open: ${(error as Error).message}`);
        });
      if (withdrawn.aborted) take();
      else withdrawn.addEventListener('abort', take, { once: true });
    }
  }

  /** A new task. @returns what fires when it is over, where a gateway took its call */
  bind(task: Task, { gateway }: Registered, server: McpServer): AbortSignal | undefined {
    return gateway ? this.#gateways.bind(keyOf(task), server, task.ttlMs) : undefined;
  }

  /** Sees to it that a task goes on: now, or when a question of it is due (tasks-4). @throws MidcallError `store/unavailable` */
  async plan(task: Task): Promise<void> {
    if (isOver(task)) return;
    const { jobs, now } = this.#config;
    const name = jobOf(task);
    if (task.home !== undefined || isReady(task, now())) await jobs.add(name);
    else if (task.dueAt !== undefined) await jobs.add(`${name}/due`, task.dueAt + 1 - now());
  }

  /**
   * Takes over a call that is under way in this process.
   * @param work - how it ends
   * @param stop - ends it, for a client that cancels the task
   */
  adopt(task: Task, ctx: ServerContext, work: Promise<Outcome>, stop: AbortController): void {
    const { turn } = task;
    const key = keyOf(task);
    const ended = work.then(async outcome => {
      this.#untaken.set(key, { turn, outcome, ctx, signal: stop.signal });
      await this.#takeUntaken(key, turn);
    });
    // Where the store is away, the job of the task tries again.
    this.#track(key, stop, ended, ctx).catch(() => {});
  }

  /** Ends a task; what it has begun in this process ends first. One that is over stays as it is. */
  async cancel(task: Task): Promise<void> {
    const key = keyOf(task);
    const running = this.#live.get(key);
    if (!running) {
      await this.#cancelWaiting(task);
      return;
    }
    // A run that was about to end has not noticed.
    this.#toCancel.add(key);
    running.stop.abort(cancelled);
  }

  /** The same, but over at once, whatever goes on of it. @returns false where it was over before */
  async cancelNow(task: Task): Promise<boolean> {
    const running = this.#live.get(keyOf(task));
    if (!running) return (await this.#cancelWaiting(task)) !== undefined;
    const isCancelled = (await this.#finish(task.id, undefined, cancelledEnd)) !== undefined;
    running.stop.abort(cancelled);
    return isCancelled;
  }

  /** Lets go of what is under way, so that another process may go on with it, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopBeating?.();
    for (const { stop, ctx } of this.#live.values()) if (ctx && detachedOf(ctx)?.waits) stop.abort(closing);
    const closed = this.#config.jobs.close();
    await Promise.allSettled([...this.#live.values()].map(({ ended }) => ended));
    this.#gateways.close();
    await closed;
  }

  /** Runs one job; rejects where it is to be run again. */
  async #run(name: string, attempt: number): Promise<void> {
    const { key, turn, isDue } = partsOf(name);
    for (let live = this.#live.get(key); live; live = this.#live.get(key)) await live.ended.catch(() => {});
    if (this.#closing) throw closing;
    if (this.#untaken.has(key)) return this.#takeUntaken(key, turn);
    const stop = new AbortController();
    return this.#track(key, stop, this.#turn(key, turn, isDue, stop, attempt));
  }

  async #track(key: string, stop: AbortController, run: Promise<void>, ctx?: ServerContext): Promise<void> {
    const ended = run.finally(() => this.#live.delete(key));
    this.#live.set(key, { stop, ended, ...(ctx && { ctx }) });
    this.#beat();
    try {
      await ended;
    } finally {
      if (this.#toCancel.delete(key)) {
        const task = await this.#store.readAt(key);
        if (task) await this.#cancelWaiting(task);
      }
    }
  }

  async #turn(key: string, turn: number, isDue: boolean, stop: AbortController, attempt: number): Promise<void> {
    const task = await this.#store.readAt(key);
    if (!task || isOver(task)) return;
    // Whoever took the last outcome may have died before it added the next job.
    if (task.turn !== turn) return this.plan(task);
    if (task.home !== undefined) return this.#seekHome(task, task.home);
    if (!isReady(task, this.#config.now())) {
      if (isDue) throw new Error('The question is not due yet.');
      return;
    }
    const found = this.#serverOf(key, task);
    const handler = found && this.#handlers.get(found.server);
    if (!handler) {
      if (attempt < TOOL_TRIES) throw new Error(`No server here has the tool '${task.name}'.`);
      await this.#finish(task.id, turn, failure({ code: -32602, message: toolGone(task.name) }));
      return;
    }
    const ctx = contextOf(task, stop.signal, found.over);
    const live = this.#live.get(key);
    if (live) live.ctx = ctx;
    const { name, arguments: given, meta } = task;
    const request = { method: 'tools/call', params: { name, arguments: given, ...(meta && { _meta: meta }) } } as const;
    const outcome = await handler(request, ctx).then(
      (result): Outcome => ({ result }),
      (error: unknown): Outcome => ({ error }),
    );
    this.#untaken.set(key, { turn, outcome, ctx, signal: stop.signal });
    await this.#takeUntaken(key, turn);
  }

  /** Where a task is run, and what fires when it is over. */
  #serverOf(key: string, { audience, name, ttlMs }: Task): { server: McpServer; over?: AbortSignal } | undefined {
    const server = this.#servers.get(serverKey(audience, name));
    if (server) return { server };
    const gateway = this.#gateways.serverOf(key) ?? this.#servers.get(serverKey(audience));
    return gateway && { server: gateway, over: this.#gateways.bind(key, gateway, ttlMs) };
  }

  /** Takes the outcome that this process has of a turn; rejects where the store cannot be written, or the turn goes on. */
  async #takeUntaken(key: string, turn: number): Promise<void> {
    const untaken = this.#untaken.get(key);
    if (untaken?.turn !== turn) {
      this.#untaken.delete(key);
      const task = await this.#store.readAt(key);
      return task && this.plan(task);
    }
    const { outcome, ctx, signal } = untaken;
    if (signal.reason === closing || (signal.reason !== cancelled && isElsewhere(outcome))) {
      this.#untaken.delete(key);
      // Another process goes on with it, or runs it already; if that one dies, this one follows.
      throw signal.reason === closing ? closing : (outcome as { error: Error }).error;
    }
    const task = await this.#keep(key, turn, signal.reason === cancelled ? { cancelled } : outcome, ctx);
    this.#untaken.delete(key);
    await detachedOf(ctx)
      ?.settle?.()
      .catch(() => {});
    if (task) await this.plan(task);
  }

  /** Keeps what came of a turn (tasks-2). @returns the task where it goes on */
  async #keep(
    key: string,
    turn: number,
    outcome: Outcome | { readonly cancelled: unknown },
    ctx: ServerContext,
  ): Promise<Task | undefined> {
    const { now } = this.#config;
    if ('result' in outcome && isInputRequired(outcome.result)) {
      const departure = departureOf(ctx);
      const next = afterRound(outcome.result, departure);
      const kept = await this.#store.changeAt(key, current =>
        current.turn !== turn || isOver(current)
          ? undefined
          : { ...withoutHome(current), ...next, turn: turn + 1, updatedAt: now() },
      );
      if (kept) this.heed(kept, departure);
      return kept;
    }
    const end =
      'cancelled' in outcome
        ? cancelledEnd
        : 'result' in outcome
          ? ({ status: 'completed', result: outcome.result } as const)
          : failure(outcome.error);
    await this.#finishAt(key, turn, end);
    return undefined;
  }

  async #withdraw(key: string, turn: number, ask: string): Promise<void> {
    const now = this.#config.now();
    const changed = await this.#store.changeAt(key, current =>
      current.turn !== turn || isOver(current) || !Object.hasOwn(unanswered(current), ask)
        ? undefined
        : { ...current, answers: { ...current.answers, [ask]: { value: null, at: now } }, updatedAt: now },
    );
    if (changed) await this.plan(changed);
  }

  /** A call whose first run is in a process: alive, and this job waits for it; or gone, and nobody knows what took effect. */
  async #seekHome(task: Task, home: string): Promise<void> {
    const isHere = home === this.home;
    if (!isHere && (await this.#config.store.get(`home:${home}`)) !== undefined)
      throw new Error('Another process runs this call.');
    await this.#finish(task.id, task.turn, lost);
  }

  /** Ends a task that nothing is being done for. */
  async #cancelWaiting({ id }: Task): Promise<Task | undefined> {
    const task = await this.#finish(id, undefined, cancelledEnd);
    if (!task) return undefined;
    const { principal, name, flow = '' } = task;
    const call = { flow, method: 'tools/call', name, arguments: digest(task.arguments ?? {}), principal } as const;
    this.#config.audit?.({ at: this.#config.now(), call, kind: 'ended', outcome: 'cancelled' });
    return task;
  }

  #finish(id: string, turn: number | undefined, end: Partial<Task>): Promise<Task | undefined> {
    return this.#finishAt(digest(id), turn, end);
  }

  /** @param turn - the turn that this ends; undefined for whichever it stands at */
  async #finishAt(key: string, turn: number | undefined, end: Partial<Task>): Promise<Task | undefined> {
    const changed = await this.#store.changeAt(key, current => {
      if (isOver(current) || (turn !== undefined && current.turn !== turn)) return undefined;
      const { state: _, dueAt: __, ...rest } = withoutHome(current);
      return { ...rest, inputRequests: {}, answers: {}, ...end, updatedAt: this.#config.now() };
    });
    if (!changed) return undefined;
    this.#gateways.end(key);
    this.#ended(changed);
    await this.#config.jobs.remove(`${jobOf(changed)}/due`);
    return changed;
  }

  /** Shows others, three times before they take it for gone, that this process is alive, and sees what they have cancelled. */
  #beat(): void {
    if (this.#stopBeating || this.#closing || this.#config.kept === this.#config.store) return;
    const beat = (): void => {
      void this.#config.store.set(`home:${this.home}`, '', { ttlMs: PRESENT_MS }).catch(() => {});
      this.#stopBeating = this.#config.idleTimer(() => {
        this.#stopBeating = undefined;
        if (this.#live.size === 0) return;
        beat();
        for (const [key, { stop }] of this.#live) void this.#notice(key, stop).catch(() => {});
      }, PRESENT_MS / 3);
    };
    beat();
  }

  async #notice(key: string, stop: AbortController): Promise<void> {
    const task = await this.#store.readAt(key);
    if (task?.status === 'cancelled') stop.abort(cancelled);
  }
}

/** A task in the names of jobs and in the store: nothing by which it could be asked after. */
const keyOf = ({ id }: Task): string => digest(id);
const jobOf = (task: Task): string => `${keyOf(task)}/${task.turn}`;
const serverKey = (audience: string, tool?: string): string => JSON.stringify([audience, tool]);

function partsOf(name: string): { readonly key: string; readonly turn: number; readonly isDue: boolean } {
  const [key = '', turn, due] = name.split('/');
  return { key, turn: Number(turn), isDue: due !== undefined };
}

const isElsewhere = (outcome: Outcome): boolean =>
  'error' in outcome && isMidcallError(outcome.error, 'call/interrupted');

const cancelled = Object.freeze(new Error('The client cancelled this task.'));
const closing = Object.freeze(new Error('This server is closing.'));

const withoutHome = ({ home: _, dueAt: __, ...task }: Task): Task => task;

const cancelledEnd: Partial<Task> = { status: 'cancelled', statusMessage: 'The client cancelled this task.' };

const toolGone = (name: string): string =>
  `This server no longer has the tool '${name}', so the call cannot go on. What its steps did before stays done.`;

const lost: Partial<Task> = failure({
  code: -32603,
  message:
    'The server stopped while this call was under way, and cannot tell what took effect. Find out before calling again.',
});
