/**
 * Calls that go on without a request (extension `io.modelcontextprotocol/tasks`). A task is what its client would otherwise
 * hold: the state of the last round, and the answers to it. When the answers are there, or a deadline has passed, the server
 * makes of itself the retry that a client would make; so a task keeps every promise that a retry keeps. Here is what a client
 * may say of its tasks; what is run of them is in ./task-runs.ts.
 *
 * - tasks-1 A task is in the store before its id leaves.
 * - tasks-3 To anybody but the person and client it belongs to, a task does not exist.
 * - tasks-5 A request that is given up before its task leaves leaves none that goes on.
 */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { detach } from '../call/detached.ts';
import { isPersonal } from '../call/lending.ts';
import { type CallRequest, type Registered, readRequest } from '../call/request.ts';
import type { Config } from '../config.ts';
import type { WaitingCall } from '../observe/waiting-calls.ts';
import { departureOf } from '../sdk-seam/request-slot.ts';
import { prolongState, sealState } from '../state/request-state.ts';
import { answered, created, endOf, isOlder, isOver, keyOf, ownerOf, type Task, told, unanswered } from './task.ts';
import { TaskChanges } from './task-changes.ts';
import { endedByOperator } from './task-ends.ts';
import { TaskLists } from './task-lists.ts';
import { type Outcome, TaskRuns } from './task-runs.ts';
import type { CallHandler, CallToolRequest } from './task-servers.ts';
import { TaskStore } from './task-store.ts';
import { afterRound, type InputRequired } from './turn.ts';

/** Where a call that becomes a task comes from. */
interface Origin {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly request: CallToolRequest;
  readonly registered: Registered;
}

/** Begins to tell of a task. @returns ends that */
export type Follow = (tell: (task: Record<string, unknown>) => void) => () => void;

/** How long a task lives, in milliseconds: a person may be away for a few days. */
const TTL_MS = 7 * 24 * 60 * 60_000;

/** The most that one person and client may have that are not over. */
const MOST_OPEN = 200;
const tooManyOpen = `You have ${MOST_OPEN} unfinished tasks. Answer or cancel some of them, then call again.`;

/** The most on one list of 2025-11-25, whether they are over or not. */
const MOST_LISTED = 1_000;
const listIsFull = `You have ${MOST_LISTED} tasks. Wait until some of them expire.`;

export class Tasks {
  readonly #config: Config;
  readonly #store: TaskStore;
  readonly #lists: TaskLists;
  readonly #changes: TaskChanges;
  /** Those that are not over, so that nobody fills the store for all; also those that were, until the list is full. */
  readonly #open: TaskLists;
  /** Keys of tasks that are on their list and not yet in the store. */
  readonly #beginning = new Set<string>();
  readonly #runs: TaskRuns;

  constructor(config: Config) {
    this.#config = config;
    const sealer = config.contents === config.store ? undefined : config.sealer;
    const isShared = sealer !== undefined;
    const { idleClock: clock, wake } = config;
    this.#changes = new TaskChanges({ read: id => this.#store.read(id), isShared, clock, wake });
    const changed = (task: Task) => this.#changes.changed(task);
    this.#store = new TaskStore({ store: config.store, sealer, clock: config.clock, changed });
    this.#lists = new TaskLists({ ...config, prefix: 'tasks-of', most: MOST_LISTED, full: listIsFull });
    const makesRoom = async (key: string): Promise<boolean> => {
      const task = await this.#store.readAt(key);
      return task ? isOver(task) : !this.#beginning.has(key);
    };
    this.#open = new TaskLists({ ...config, prefix: 'open-tasks', most: MOST_OPEN, full: tooManyOpen, makesRoom });
    this.#runs = new TaskRuns({ config, store: this.#store, ended: task => this.#ended(task) });
  }

  /** Makes a server one that tasks can be run on. */
  attach(server: McpServer, handler: CallHandler): void {
    this.#runs.attach(server, handler);
  }

  /** A tool of an attached server whose calls may become tasks. @param tool - undefined for a gateway, which has every tool */
  offer(server: McpServer, tool?: string): void {
    this.#runs.offer(server, tool);
  }

  /** An owner makes a request: where a server was made for it, their tasks can go on there. */
  serve(owner: string, server: McpServer, ctx: ServerContext): void {
    if (isPersonal(server, ctx)) this.#runs.serve(owner, server);
  }

  /** Makes a call a task before anything of it has run. @returns what answers the call */
  async begin(origin: Origin): Promise<Record<string, unknown>> {
    return created(await this.#begin(origin, {}));
  }

  /**
   * The same for a client of 2025-11-25, which asks for a task itself.
   * @param ttlMs - how long it is to live, in milliseconds, where the client says so
   */
  beginOlder(origin: Origin, owner: string, ttlMs: number = TTL_MS): Promise<Task> {
    return this.#begin(origin, { owner, ttlMs: Math.min(ttlMs, TTL_MS) });
  }

  /** @param start - what of it is not as usual */
  async #begin(origin: Origin, start: Pick<Partial<Task>, 'ttlMs' | 'owner'>): Promise<Task> {
    const { ctx } = origin;
    const config = this.#config;
    const read = await this.#read(origin);
    const now = config.clock.now();
    const flow = config.id();
    const round = { round: 0, issuedAt: now, expiresAt: now + TTL_MS, journal: [], out: [] };
    const state = await sealState({ flow, nonce: config.id(), ...round }, read.binding, config, config.maxStateLength);
    const { task } = await this.#keep(read, origin, { state, flow, ...start });
    await this.#announce(task, ctx.mcpReq.signal);
    return task;
  }

  /** Makes a task of a round that would otherwise leave. @returns what answers the call */
  async adopt(origin: Origin, round: InputRequired): Promise<Record<string, unknown>> {
    const departure = departureOf(origin.ctx);
    const read = await this.#read(origin);
    const config = this.#config;
    const start = afterRound(round, departure);
    const state =
      start.state === undefined
        ? undefined
        : await prolongState(start.state, config.clock.now() + TTL_MS, read.binding, config, config.maxStateLength);
    const { task, over } = await this.#keep(read, origin, { ...start, ...(state !== undefined && { state }) });
    this.#detach(origin, task, over);
    this.#runs.heed(task, departure);
    await this.#announce(task, origin.ctx.mcpReq.signal);
    return created(task);
  }

  /**
   * Makes a task of a call that is under way.
   * @param work - how it ends
   * @param stop - ends it, for a client that cancels the task
   * @param receivedAt - when its request came, in milliseconds since the epoch, and its answers with it
   * @returns what answers the call; undefined where no task could be kept of it, and it goes on as it was
   */
  async adoptRunning(
    origin: Origin,
    work: Promise<Outcome>,
    stop: AbortController,
    receivedAt: number,
  ): Promise<Record<string, unknown> | undefined> {
    const { mcpReq } = origin.ctx;
    const state = mcpReq.requestState() as string | undefined;
    const answers = Object.fromEntries(
      Object.entries(mcpReq.inputResponses ?? {}).map(([key, answer]) => [key, answered(answer, receivedAt)]),
    );
    const start = { ...(state === undefined ? { home: this.#runs.home } : { state, isPresented: true }), answers };
    const stored = await this.#read(origin)
      .then(read => this.#keep(read, origin, start))
      .catch(() => undefined);
    if (!stored) return undefined;
    const { task, over } = stored;
    this.#detach(origin, task, over);
    this.#runs.adopt(task, origin.ctx, work, stop);
    await this.#announce(task, origin.ctx.mcpReq.signal);
    return created(task);
  }

  /** @returns what `tasks/get` answers; undefined where there is no such task for this client */
  async get(owner: string, id: string): Promise<Record<string, unknown> | undefined> {
    const task = await this.find(owner, id);
    return task && told(task);
  }

  /** @returns undefined where there is no such task for this client */
  async find(owner: string, id: string): Promise<Task | undefined> {
    const task = await this.#owned(owner, id);
    // Whoever looks also finds what a process that is gone has left; a store that cannot be written can still be read.
    if (task) await this.#runs.plan(task).catch(() => {});
    return task;
  }

  /**
   * Tells of every change of a task.
   * @param isHere - true where it is enough to be told of what this process changes
   * @returns ends that
   */
  watch(task: Task, changed: (task: Task | undefined) => void, isHere?: boolean): () => void {
    return this.#changes.watch(task, changed, isHere);
  }

  /** Ends a task before anything else is said of it. @returns false where it was over */
  cancelNow(task: Task): Promise<boolean> {
    return this.#runs.cancelNow(task);
  }

  /** The tasks of one owner that are on its list, the oldest first: so many after the first ones. */
  async list(
    owner: string,
    skip: number,
    most: number,
  ): Promise<{ readonly tasks: readonly Task[]; readonly isAll: boolean }> {
    const listed = await this.#lists.read(owner);
    const tasks = await Promise.all(listed.slice(skip, skip + most).map(at => this.#store.readAt(at)));
    return { tasks: tasks.filter(task => task !== undefined), isAll: listed.length <= skip + most };
  }

  /** Takes answers. What was not asked, or is answered already, is ignored. @returns false where there is no such task */
  async update(owner: string, id: string, responses: Readonly<Record<string, unknown>>): Promise<boolean> {
    const task = await this.#owned(owner, id);
    if (!task) return false;
    const now = this.#config.clock.now();
    const changed = await this.#store.change(id, current => {
      if (isOver(current)) return undefined;
      const fresh = Object.keys(unanswered(current)).filter(key => Object.hasOwn(responses, key));
      if (fresh.length === 0) return undefined;
      const brought = fresh.map(key => [key, answered(responses[key], now)] as const);
      return { ...current, updatedAt: now, answers: { ...current.answers, ...Object.fromEntries(brought) } };
    });
    // Also where nothing is new: this may be the answer again whose job could not be added.
    await this.#runs.plan(changed ?? task);
    return true;
  }

  /** Ends a task; what it has begun ends first. One that is over stays as it is. @returns false where there is no such task */
  async cancel(owner: string, id: string): Promise<boolean> {
    const task = await this.#owned(owner, id);
    if (task) await this.#runs.cancel(task);
    return task !== undefined;
  }

  /** @returns a task as a call that waits, whoever it belongs to; undefined where it is over */
  async waitingAt(key: string): Promise<Omit<WaitingCall, 'id'> | undefined> {
    const task = await this.#store.readAt(key);
    if (!task || isOver(task)) return undefined;
    const { name, principal, flow = '', createdAt: since, ttlMs } = task;
    const waitsFor = Object.keys(unanswered(task)).length > 0 ? 'answer' : 'work';
    return { kind: 'task', waitsFor, method: 'tools/call', name, principal, flow, since, until: since + ttlMs };
  }

  /** Ends a task, whoever it belongs to. @returns false where it was over */
  async endAt(key: string): Promise<boolean> {
    const task = await this.#store.readAt(key);
    return task !== undefined && this.#runs.cancelNow(task, endedByOperator);
  }

  /**
   * Tells of a task: as it is now, and whenever it changes.
   * @returns begins to tell, what `tasks/get` answers; undefined where there is no such task
   */
  async follow(owner: string, id: string): Promise<Follow | undefined> {
    const task = await this.#owned(owner, id);
    if (!task) return undefined;
    return tell => {
      tell(told(task));
      return this.#changes.watch(task, now => now && tell(told(now)));
    };
  }

  /** Lets go of what is under way, so that another process may go on with it, and resolves when it has ended. */
  close(): Promise<void> {
    this.#changes.close();
    return this.#runs.close();
  }

  async #owned(owner: string, id: string): Promise<Task | undefined> {
    const task = await this.#store.read(id);
    return task?.owner === owner ? task : undefined;
  }

  async #read({ server, ctx, request, registered }: Origin): Promise<CallRequest> {
    return readRequest(server, ctx, request.params, registered, this.#config);
  }

  /**
   * Sees to it that a new task goes on, or ends where its client will never hear of it (tasks-5).
   * @param signal - fires where the client gives the request up
   */
  async #announce(task: Task, signal: AbortSignal): Promise<void> {
    try {
      if (!signal.aborted) await this.#runs.plan(task);
    } catch (error) {
      await this.#runs.cancel(task).catch(() => {});
      throw error;
    }
    if (signal.aborted) await this.#runs.cancel(task);
  }

  #ended(task: Task): void {
    this.#config.waiting.removeTask(keyOf(task));
  }

  /** The request that a task came from belongs to it now. */
  #detach({ ctx }: Origin, task: Task, over: AbortSignal | undefined): void {
    const { client, principal, clientId } = task;
    detach(ctx, { client, principal, clientId, over, until: endOf(task) });
  }

  /** Keeps a new task (tasks-1). @returns it, and what fires when it is over where a gateway took its call */
  async #keep(
    read: CallRequest,
    { ctx, request, registered, server }: Origin,
    start: Partial<Task>,
  ): Promise<{ readonly task: Task; readonly over: AbortSignal | undefined }> {
    const now = this.#config.clock.now();
    const { progressToken: _, ...meta } = request.params._meta ?? {};
    const hasOwner = read.principal !== undefined || ctx.sessionId !== undefined;
    const task: Task = {
      id: this.#config.id(),
      owner: ownerOf(read.binding),
      name: read.name,
      audience: read.binding.audience,
      arguments: request.params.arguments,
      ...(registered.gateway && { meta }),
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
      ...(isPersonal(server, ctx) && hasOwner && { isPersonal: true }),
      ...start,
    };
    if (task.isPersonal) this.#runs.serve(task.owner, server);
    const key = keyOf(task);
    this.#beginning.add(key);
    try {
      await this.#open.add(task);
      if (isOlder(task)) await this.#lists.add(task);
      await Promise.all([this.#store.create(task), this.#config.waiting.addTask(key, now + task.ttlMs)]);
    } catch (error) {
      this.#ended(task);
      throw error;
    } finally {
      this.#beginning.delete(key);
    }
    return { task, over: this.#runs.bind(task, registered, server) };
  }
}
