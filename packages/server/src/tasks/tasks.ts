/**
 * Calls that go on without a request (extension `io.modelcontextprotocol/tasks`). A task is what its client would otherwise
 * hold: the state of the last round, and the answers to it. When the answers are there, or a deadline has passed, the server
 * makes of itself the retry that a client would make; so a task keeps every promise that a retry keeps.
 *
 * - tasks-1 A task is in the store before its id leaves.
 * - tasks-2 An outcome is taken once: whoever brings the outcome of a turn that is over changes nothing.
 * - tasks-3 To anybody but the person and client it belongs to, a task does not exist.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Config } from '../config.ts';
import { departureOf, detachedOf } from '../detached.ts';
import { digest } from '../digest.ts';
import { received } from '../drivers/received.ts';
import { type CallRequest, type Registered, readRequest } from '../request.ts';
import { sealState } from '../state/request-state.ts';
import { OpenTasks } from './open-tasks.ts';
import { created, isOver, isReady, type Task, told, unanswered } from './task.ts';
import { TaskStore } from './task-store.ts';
import { afterRound, contextOf, failure, type InputRequired, isInputRequired } from './turn.ts';

/** A handler of `tools/call` as the SDK has it, with everything that the SDK does around the author's. */
export type CallHandler = (request: CallToolRequest, ctx: ServerContext) => Promise<unknown>;

export interface CallToolRequest {
  readonly method: 'tools/call';
  readonly params: { readonly name: string; readonly arguments?: unknown };
}

/** What came of a run. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** Where a call that becomes a task comes from. */
interface Origin {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly request: CallToolRequest;
  readonly registered: Registered;
}

/** How long a task lives, in milliseconds: a person may be away for a few days. */
const TTL_MS = 7 * 24 * 60 * 60_000;
/** How long a process that runs calls is taken to be alive without a sign of it, in milliseconds. */
const PRESENT_MS = 60_000;

export class Tasks {
  readonly #config: Config;
  readonly #store: TaskStore;
  readonly #handlers = new WeakMap<McpServer, CallHandler>();
  /** Runs under way in this process, by id. */
  readonly #live = new Map<string, { readonly stop: AbortController; readonly ctx: ServerContext | undefined }>();
  readonly #deadlines = new Map<string, () => void>();
  readonly #runs = new Set<Promise<void>>();
  /** What is to be run once more when the run under way has ended. */
  readonly #again = new Map<string, McpServer>();
  /** What is to be over when the run under way has ended. */
  readonly #toCancel = new Set<string>();
  readonly #open: OpenTasks;
  readonly #home: string;
  #stopPresence: (() => void) | undefined;
  #resumed = false;
  #closing = false;

  constructor(config: Config) {
    this.#config = config;
    const sealer = config.kept === config.store ? undefined : config.sealer;
    this.#store = new TaskStore({ store: config.store, sealer, now: config.now });
    this.#home = config.id();
    this.#open = new OpenTasks(id => this.#store.read(id));
  }

  /** Makes a server one that tasks can be run on. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#handlers.set(server, handler);
  }

  /** Makes a call a task before anything of it has run. @returns what answers the call */
  async begin(origin: Origin): Promise<Record<string, unknown>> {
    const { server, ctx } = origin;
    const config = this.#config;
    const read = await this.#read(origin);
    const now = config.now();
    const flow = config.id();
    const round = { round: 0, issuedAt: now, expiresAt: now + TTL_MS, journal: [], out: [] };
    const state = await sealState({ flow, nonce: config.id(), ...round }, read.binding, config, config.maxStateLength);
    const task = await this.#keep(read, origin, { state, flow });
    // A client that left before it was told of the task can never ask after it.
    if (ctx.mcpReq.signal.aborted) await this.#cancelWaiting(task.id);
    else this.#go(task.id, server);
    return created(task);
  }

  /** Makes a task of a round that would otherwise leave. @returns what answers the call */
  async adopt(origin: Origin, round: InputRequired): Promise<Record<string, unknown>> {
    const task = await this.#keep(await this.#read(origin), origin, afterRound(round, departureOf(origin.ctx)));
    this.#wait(task, origin.server);
    return created(task);
  }

  /**
   * Makes a task of a call that is under way.
   * @param work - how it ends
   * @param stop - ends it, for a client that cancels the task
   * @returns what answers the call
   */
  async adoptRunning(origin: Origin, work: Promise<Outcome>, stop: AbortController): Promise<Record<string, unknown>> {
    const { mcpReq } = origin.ctx;
    const state = mcpReq.requestState() as string | undefined;
    const answers = Object.fromEntries(
      Object.entries(mcpReq.inputResponses ?? {}).map(([key, answer]) => [key, received(answer)?.value ?? null]),
    );
    const start = { ...(state === undefined ? { home: this.#home } : { state }), answers };
    const task = await this.#keep(await this.#read(origin), origin, start);
    this.#track(
      task.id,
      stop,
      work.then(outcome => this.#take(task, outcome, origin.ctx, stop.signal, origin.server)),
    );
    return created(task);
  }

  /** @returns what `tasks/get` answers; undefined where there is no such task for this client */
  async get(server: McpServer, owner: string, id: string): Promise<Record<string, unknown> | undefined> {
    const task = await this.#owned(owner, id);
    if (!task) return undefined;
    // Whoever looks also finds what a process that is gone has left.
    if (!isOver(task)) await this.#takeUp(task, server);
    return told(task);
  }

  /** Takes answers. What was not asked, or is answered already, is ignored. @returns false where there is no such task */
  async update(
    server: McpServer,
    owner: string,
    id: string,
    responses: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    if (!(await this.#owned(owner, id))) return false;
    const now = this.#config.now();
    const changed = await this.#store.change(id, task => {
      if (isOver(task)) return undefined;
      const fresh = Object.keys(unanswered(task)).filter(key => Object.hasOwn(responses, key));
      if (fresh.length === 0) return undefined;
      const brought = fresh.map(key => [key, received(responses[key])?.value ?? null] as const);
      return { ...task, updatedAt: now, answers: { ...task.answers, ...Object.fromEntries(brought) } };
    });
    if (changed) this.#wait(changed, server);
    return true;
  }

  /** Ends a task; what it has begun ends first. One that is over stays as it is. @returns false where there is no such task */
  async cancel(owner: string, id: string): Promise<boolean> {
    if (!(await this.#owned(owner, id))) return false;
    const running = this.#live.get(id);
    if (running) {
      running.stop.abort(cancelled);
      // A run that was about to end has not noticed.
      this.#toCancel.add(id);
    } else await this.#cancelWaiting(id);
    return true;
  }

  /**
   * Takes up the tasks that another process has left, once.
   * @param server - of the revision that has tasks
   */
  resume(server: McpServer): void {
    if (this.#resumed) return;
    this.#resumed = true;
    const begin = async (): Promise<void> => {
      for (const id of await this.#store.listed()) {
        const task = await this.#store.read(id);
        await (task ? this.#takeUp(task, server) : this.#store.over(id));
      }
    };
    this.#count(begin());
  }

  /** Lets go of what is under way, so that another process may go on with it, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const stop of this.#deadlines.values()) stop();
    this.#stopPresence?.();
    for (const { stop, ctx } of this.#live.values()) if (ctx && detachedOf(ctx)?.waits) stop.abort(closing);
    await Promise.allSettled([...this.#runs]);
  }

  async #owned(owner: string, id: string): Promise<Task | undefined> {
    const task = await this.#store.read(id);
    return task?.owner === owner ? task : undefined;
  }

  #read({ server, ctx, request, registered }: Origin): Promise<CallRequest> {
    return readRequest(server, ctx, request.params, registered, this.#config);
  }

  /** Keeps a new task (tasks-1). */
  async #keep(read: CallRequest, { ctx, request }: Origin, start: Partial<Task>): Promise<Task> {
    const now = this.#config.now();
    const task: Task = {
      id: this.#config.id(),
      owner: ownerOf(read.binding),
      name: read.name,
      arguments: request.params.arguments,
      principal: read.principal,
      clientId: read.binding.client,
      client: read.client,
      envelope: ctx.mcpReq.envelope,
      createdAt: now,
      updatedAt: now,
      ttlMs: TTL_MS,
      status: 'working',
      turn: 0,
      inputRequests: {},
      answers: {},
      ...start,
    };
    await this.#open.add(task);
    await this.#store.create(task);
    this.#showPresence();
    return task;
  }

  /** Goes on as soon as there is something to go on with. */
  #wait(task: Task, server: McpServer): void {
    const now = this.#config.now();
    if (isReady(task, now)) this.#go(task.id, server);
    else if (task.dueAt !== undefined) this.#later(task.id, task.dueAt + 1 - now, server);
  }

  #later(id: string, ms: number, server: McpServer): void {
    this.#deadlines.get(id)?.();
    if (this.#closing) return;
    const stop = this.#config.idleTimer(
      () => {
        this.#deadlines.delete(id);
        this.#go(id, server);
      },
      Math.min(Math.max(1, ms), 2 ** 31 - 1),
    );
    this.#deadlines.set(id, stop);
  }

  /** Runs a task from where it stands, unless that is under way here. */
  #go(id: string, server: McpServer): void {
    if (this.#closing) return;
    if (this.#live.has(id)) {
      this.#again.set(id, server);
      return;
    }
    this.#deadlines.get(id)?.();
    this.#deadlines.delete(id);
    const stop = new AbortController();
    this.#track(id, stop, this.#turn(id, server, stop));
  }

  #track(id: string, stop: AbortController, run: Promise<void>): void {
    this.#live.set(id, { stop, ctx: undefined });
    const failed = (error: unknown): void => {
      this.#config.warn(`midcall: a task could not be gone on with: ${(error as Error).message}`);
    };
    this.#count(
      run
        .catch(failed)
        .finally(() => this.#live.delete(id))
        .then(() => this.#look(id)),
    );
  }

  /** What came while a task was being run is looked at when it has. */
  #look(id: string): void {
    const server = this.#again.get(id);
    this.#again.delete(id);
    if (this.#toCancel.delete(id)) this.#count(this.#cancelWaiting(id));
    else if (server) this.#go(id, server);
  }

  #count(work: Promise<unknown>): void {
    const counted = Promise.resolve(work).then(
      () => {},
      () => {},
    );
    this.#runs.add(counted);
    void counted.then(() => this.#runs.delete(counted));
  }

  async #turn(id: string, server: McpServer, stop: AbortController): Promise<void> {
    const task = await this.#store.read(id);
    const handler = this.#handlers.get(server);
    if (!task || !handler || !isReady(task, this.#config.now()) || task.state === undefined) return;
    const { signal } = stop;
    const ctx = contextOf(task, signal);
    this.#live.set(id, { stop, ctx });
    const request = { method: 'tools/call', params: { name: task.name, arguments: task.arguments } } as const;
    const outcome = await handler(request, ctx).then(
      (result): Outcome => ({ result }),
      (error: unknown): Outcome => ({ error }),
    );
    await this.#take(task, outcome, ctx, signal, server);
  }

  /** Keeps what came of a turn (tasks-2), and goes on from there. */
  async #take(task: Task, outcome: Outcome, ctx: ServerContext, signal: AbortSignal, server: McpServer): Promise<void> {
    if (signal.reason === closing) return;
    if (signal.reason === cancelled) {
      await this.#finish(task.id, task.turn, cancelledEnd);
      return;
    }
    if ('error' in outcome && isMidcallError(outcome.error, 'call/interrupted')) {
      // Another process runs it, and keeps what comes of it; if it dies, this one follows.
      this.#later(task.id, PRESENT_MS, server);
      return;
    }
    if ('result' in outcome && isInputRequired(outcome.result)) {
      const next = afterRound(outcome.result, departureOf(ctx));
      const changed = await this.#store.change(task.id, current =>
        current.turn !== task.turn || isOver(current)
          ? undefined
          : { ...withoutHome(current), ...next, turn: task.turn + 1, updatedAt: this.#config.now() },
      );
      if (!changed) return;
      if (isReady(changed, this.#config.now())) this.#again.set(task.id, server);
      else this.#wait(changed, server);
      return;
    }
    await this.#finish(
      task.id,
      task.turn,
      'result' in outcome ? { status: 'completed', result: outcome.result } : failure(outcome.error),
    );
  }

  /** Ends a task that nothing is being done for. */
  async #cancelWaiting(id: string): Promise<void> {
    const task = await this.#finish(id, undefined, cancelledEnd);
    if (!task) return;
    const { principal, name, flow = '' } = task;
    const call = { flow, method: 'tools/call', name, arguments: digest(task.arguments ?? {}), principal } as const;
    this.#config.audit?.({ at: this.#config.now(), call, kind: 'ended', outcome: 'cancelled' });
  }

  /** @param turn - the turn that this ends; undefined for whichever it stands at */
  async #finish(id: string, turn: number | undefined, end: Partial<Task>): Promise<Task | undefined> {
    const changed = await this.#store.change(id, current => {
      if (isOver(current) || (turn !== undefined && current.turn !== turn)) return undefined;
      const { state: _, dueAt: __, ...rest } = withoutHome(current);
      return { ...rest, inputRequests: {}, answers: {}, ...end, updatedAt: this.#config.now() };
    });
    if (!changed) return undefined;
    this.#deadlines.get(id)?.();
    this.#deadlines.delete(id);
    this.#open.remove(changed);
    await this.#store.over(id);
    return changed;
  }

  /** Goes on with what another process may have left. */
  async #takeUp(task: Task, server: McpServer): Promise<void> {
    if (this.#live.has(task.id) || task.home === this.#home) return;
    if (task.home === undefined) return this.#wait(task, server);
    if ((await this.#config.store.get(`home:${task.home}`)) === undefined) await this.#finish(task.id, task.turn, lost);
  }

  /** Shows others that what this process runs is alive. */
  #showPresence(): void {
    if (this.#stopPresence || this.#config.kept === this.#config.store) return;
    const show = (): void => {
      void this.#config.store.set(`home:${this.#home}`, '', { ttlMs: PRESENT_MS }).catch(() => {});
      this.#stopPresence = this.#config.idleTimer(() => (this.#live.size > 0 ? show() : this.#quiet()), PRESENT_MS / 3);
    };
    show();
  }

  #quiet(): void {
    this.#stopPresence = undefined;
  }
}

const cancelled = Object.freeze(new Error('The client cancelled this task.'));
const closing = Object.freeze(new Error('This server is closing.'));

/** Whom a task belongs to. */
export const ownerOf = (of: { readonly principal: string; readonly client: string }): string =>
  digest([of.principal, of.client]);

const withoutHome = ({ home: _, dueAt: __, ...task }: Task): Task => task;

const cancelledEnd: Partial<Task> = { status: 'cancelled', statusMessage: 'The client cancelled this task.' };

const lost: Partial<Task> = failure({
  code: -32603,
  message:
    'The server stopped while this call was under way, and cannot tell what took effect. Find out before calling again.',
});
