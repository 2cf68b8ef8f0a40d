/**
 * Calls that continue without a request (extension `io.modelcontextprotocol/tasks`). A task is what its client would otherwise
 * hold: the state of the last round, and the answers to it. When the answers are there, or a deadline has passed, the server
 * makes the retry that a client would make; so a task has every guarantee that a retry has. This module handles the client's
 * messages about its tasks; ./task-runs.ts runs them.
 *
 * - tasks-1 A task is in the store before its id is sent.
 * - tasks-3 To anybody but the person and client it belongs to, a task does not exist.
 * - tasks-5 If a request is abandoned before its task is sent, that task does not continue.
 */
import { findOut, MidcallError } from '@midcall/core/errors';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { WaitingCall } from '../observe/index.ts';
import {
  type CallRequest,
  type Config,
  detach,
  type FinalOutcome,
  isPersonal,
  principalKey,
  type Registered,
  readRequest,
} from '../request/index.ts';
import { departureOf } from '../sdk-seam/index.ts';
import { newStoredState, prolongState, storedState } from '../state/index.ts';
import {
  answered,
  created,
  endOf,
  is2025Task,
  isOver,
  latestOf,
  ownerOf,
  type Task,
  told,
  unanswered,
} from './task.ts';
import { TaskChanges } from './task-changes.ts';
import { endedByOperator } from './task-ends.ts';
import { keyOf } from './task-key.ts';
import { FinishedTasks, TaskLists } from './task-lists.ts';
import { TaskRuns } from './task-runs.ts';
import type { CallToolRequest, TaskServers } from './task-servers.ts';
import { TaskStore } from './task-store.ts';
import { afterRound, type InputRequired } from './turn.ts';

/** The origin of a call that becomes a task. */
interface Origin {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly request: CallToolRequest;
  readonly registered: Registered;
}

/** Begins to report a task. @returns a function that stops it */
export type Follow = (tell: (task: Record<string, unknown>) => void) => () => void;

/** How long a task lives, in milliseconds: a person may be away for a few days. */
const TTL_MS = 7 * 24 * 60 * 60_000;

/** The maximum number of unfinished tasks of one person and client. */
const MOST_OPEN = 200;
const tooManyOpen = `You have ${MOST_OPEN} unfinished tasks. Answer or cancel some of them to make room.`;

/** The maximum number on one list of 2025-11-25, finished or not. */
const MOST_LISTED = 1_000;
/** The maximum number of finished tasks that are kept of one person, and of characters in them. */
const MOST_FINISHED = 1_000;
const MOST_FINISHED_CHARACTERS = 16_777_216;
const listIsFull = `You have ${MOST_LISTED} tasks. Wait until some of them expire.`;

const mayGoOn = (cause: unknown): MidcallError =>
  new MidcallError(
    'call/interrupted',
    `The server's store failed when this call became a task, which may go on all the same. ${findOut}`,
    { cause },
  );

export class Tasks {
  readonly runs: TaskRuns;
  readonly #config: Config;
  readonly #servers: TaskServers;
  readonly #store: TaskStore;
  readonly #lists: TaskLists;
  readonly #changes: TaskChanges;
  /** Unfinished tasks, so that nobody fills the store for all; also finished ones, until the list is full. */
  readonly #open: TaskLists;
  /** Keys of tasks that are on their list but not yet in the store. */
  readonly #beginning = new Set<string>();

  constructor(config: Config, servers: TaskServers) {
    this.#config = config;
    this.#servers = servers;
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
    const finished = new FinishedTasks({
      ...config,
      most: MOST_FINISHED,
      mostCharacters: MOST_FINISHED_CHARACTERS,
      remove: at => this.#store.removeAt(at),
    });
    this.runs = new TaskRuns({ config, servers, store: this.#store, finished, ended: task => this.#ended(task) });
  }

  /** Notes a request of an owner: if a server was made for it, their tasks can continue there. */
  serve(owner: string, server: McpServer, ctx: ServerContext): void {
    if (isPersonal(server, ctx)) this.#servers.serve(owner, server);
  }

  /** Makes a call a task before any of it has run. @returns the answer to the call */
  async begin(origin: Origin): Promise<Record<string, unknown>> {
    return created(await this.#begin(origin, {}));
  }

  /**
   * Begins a task for a client of 2025-11-25, which requests it itself.
   * @param ttlMs - its lifetime in milliseconds, if the client gave one
   */
  begin2025(origin: Origin, owner: string, ttlMs: number = TTL_MS): Promise<Task> {
    return this.#begin(origin, { owner, ttlMs: Math.min(ttlMs, TTL_MS) });
  }

  /** @param start - what differs from the default */
  async #begin(origin: Origin, start: Pick<Partial<Task>, 'ttlMs' | 'owner'>): Promise<Task> {
    const { ctx } = origin;
    const config = this.#config;
    const read = await this.#read(origin);
    const now = config.clock.now();
    const flow = config.id();
    const round = { round: 0, issuedAt: now, expiresAt: now + TTL_MS, journal: [], out: [] };
    const state = newStoredState({ flow, nonce: config.id(), ...round }, read.binding, config.id());
    const { task } = await this.#keep(read, origin, { state, flow, ...start });
    await this.#announce(task, ctx.mcpReq.signal);
    return task;
  }

  /** Turns a round that would otherwise be sent into a task. @returns the answer to the call */
  async adopt(origin: Origin, round: InputRequired): Promise<Record<string, unknown>> {
    const departure = departureOf(origin.ctx);
    const read = await this.#read(origin);
    const config = this.#config;
    const start = afterRound(round, departure, config);
    const state = start.state && (await prolongState(start.state, config.clock.now() + TTL_MS, read.binding, config));
    const { task, over } = await this.#keep(read, origin, { ...start, ...(state && { state }) });
    this.#detach(origin, task, over);
    this.runs.heed(task, departure);
    await this.#announce(task, origin.ctx.mcpReq.signal);
    return created(task);
  }

  /**
   * Turns a call in progress into a task.
   * @param work - how it ends
   * @param stop - ends it, for a client that cancels the task
   * @param receivedAt - when its request, and the answers in it, arrived, in milliseconds since the epoch
   * @returns the answer to the call; undefined if no task could be stored, and it continues as before
   */
  async adoptRunning(
    origin: Origin,
    work: Promise<FinalOutcome>,
    stop: AbortController,
    receivedAt: number,
  ): Promise<Record<string, unknown> | undefined> {
    const { mcpReq } = origin.ctx;
    const state: unknown = mcpReq.requestState();
    const answers = Object.fromEntries(
      Object.entries(mcpReq.inputResponses ?? {}).map(([key, answer]) => [key, answered(answer, receivedAt)]),
    );
    const stored = await this.#read(origin)
      .then(read => {
        if (state === undefined) return this.#keep(read, origin, { home: this.runs.live.home, answers });
        const presented = storedState(String(state), this.#config);
        return this.#keep(read, origin, { state: presented, isPresented: true, answers });
      })
      .catch(() => undefined);
    if (!stored) return undefined;
    const { task, over } = stored;
    this.#detach(origin, task, over);
    this.runs.adopt(task, origin.ctx, work, stop);
    await this.#announce(task, origin.ctx.mcpReq.signal);
    return created(task);
  }

  /** @returns the answer to `tasks/get`; undefined if there is no such task for this client */
  async get(owner: string, id: string): Promise<Record<string, unknown> | undefined> {
    const task = await this.find(owner, id);
    return task && told(task);
  }

  /** @returns undefined if there is no such task for this client */
  async find(owner: string, id: string): Promise<Task | undefined> {
    const task = await this.#owned(owner, id);
    // Reading a task also detects one left by a dead process; a store that cannot be written can still be read.
    if (task) await this.runs.plan(task).catch(() => {});
    return task;
  }

  /**
   * Reports every change of a task.
   * @param isHere - true if changes by this process are enough
   * @returns a function that stops it
   */
  watch(task: Task, changed: (task: Task | undefined) => void, isHere?: boolean): () => void {
    return this.#changes.watch(task, changed, isHere);
  }

  /** Ends a task before anything else is sent about it. @returns false if it was over */
  cancelNow(task: Task): Promise<boolean> {
    return this.runs.cancelNow(task);
  }

  /** A page of the tasks on one owner's list, the oldest first. */
  async list(
    owner: string,
    skip: number,
    most: number,
  ): Promise<{ readonly tasks: readonly Task[]; readonly isAll: boolean }> {
    const listed = await this.#lists.read(owner);
    const tasks = await Promise.all(listed.slice(skip, skip + most).map(at => this.#store.readAt(at)));
    return { tasks: tasks.filter(task => task !== undefined), isAll: listed.length <= skip + most };
  }

  /**
   * Takes answers. Those to unknown or already answered questions are ignored.
   * @returns false if there is no such task
   * @throws MidcallError `call/too-many` if its person takes too much of the store, or `store/unavailable`; then none was taken
   */
  async update(owner: string, id: string, responses: Readonly<Record<string, unknown>>): Promise<boolean> {
    const task = await this.#owned(owner, id);
    if (!task) return false;
    // Even if nothing is new: this may repeat an answer whose job could not be added.
    await this.runs.plan((await this.#take(task, responses)) ?? task);
    return true;
  }

  /** @returns the task with the answers that are new; undefined if none is */
  async #take(task: Task, responses: Readonly<Record<string, unknown>>): Promise<Task | undefined> {
    const { clock, shares } = this.#config;
    const now = clock.now();
    const freshOf = (current: Task): Task['answers'] => {
      const fresh = isOver(current)
        ? []
        : Object.keys(unanswered(current)).filter(key => Object.hasOwn(responses, key));
      return Object.fromEntries(fresh.map(key => [key, answered(responses[key], now)]));
    };
    const found = freshOf(task);
    if (Object.keys(found).length === 0) return undefined;
    const person = principalKey(task.principal);
    const taken = { characters: JSON.stringify(found).length, until: latestOf(task) };
    await shares.take(person, taken);
    const changed = await this.#store.changeAt(keyOf(task), current => {
      const fresh = freshOf(current);
      if (Object.keys(fresh).length === 0) return undefined;
      const { answers, share = 0 } = current;
      return { ...current, updatedAt: now, answers: { ...answers, ...fresh }, share: share + taken.characters };
    });
    if (!changed) await shares.give(person, taken);
    return changed;
  }

  /** Ends a task; its work in progress ends first. One that is over stays unchanged. @returns false if there is no such task */
  async cancel(owner: string, id: string): Promise<boolean> {
    const task = await this.#owned(owner, id);
    if (task) await this.runs.cancel(task);
    return task !== undefined;
  }

  /** @returns a task as a waiting call, whoever its owner is; undefined if it is over */
  async waitingAt(key: string): Promise<Omit<WaitingCall, 'id'> | undefined> {
    const task = await this.#store.readAt(key);
    if (!task || isOver(task)) return undefined;
    const { name, principal, flow = '', createdAt: since, ttlMs } = task;
    const waitsFor = Object.keys(unanswered(task)).length > 0 ? 'answer' : 'work';
    return { kind: 'task', waitsFor, method: 'tools/call', name, principal, flow, since, until: since + ttlMs };
  }

  /** Ends a task, whoever its owner is. @returns false if it was over */
  async endAt(key: string): Promise<boolean> {
    const task = await this.#store.readAt(key);
    return task !== undefined && this.runs.cancelNow(task, endedByOperator);
  }

  /**
   * Reports a task: its present state, and every change.
   * @returns a function that starts reporting, and the answer to `tasks/get`; undefined if there is no such task
   */
  async follow(owner: string, id: string): Promise<Follow | undefined> {
    const task = await this.#owned(owner, id);
    if (!task) return undefined;
    return tell => {
      tell(told(task));
      return this.#changes.watch(task, now => now && tell(told(now)));
    };
  }

  /** Calls `rest` when this server stops, or at once if it does. @returns ends that */
  whenStopping(rest: () => void): () => void {
    return this.#config.stops.watch({ rest, end() {} });
  }

  close(): void {
    this.#changes.close();
  }

  async #owned(owner: string, id: string): Promise<Task | undefined> {
    const task = await this.#store.read(id);
    return task?.owner === owner ? task : undefined;
  }

  async #read({ server, ctx, request, registered }: Origin): Promise<CallRequest> {
    return readRequest(server, ctx, request.params, registered, this.#config);
  }

  /**
   * Ensures that a new task continues, or ends if its client will never learn of it (tasks-5).
   * @param signal - fires when the client gives the request up
   */
  async #announce(task: Task, signal: AbortSignal): Promise<void> {
    try {
      if (!signal.aborted) await this.runs.plan(task);
    } catch (error) {
      // Its job may have been added all the same.
      const isEnded = await this.runs.cancel(task).then(
        () => true,
        () => false,
      );
      throw isEnded ? error : mayGoOn(error);
    }
    if (signal.aborted) await this.runs.cancel(task);
  }

  #ended(task: Task): void {
    this.#config.waiting.removeTask(keyOf(task));
  }

  /** Ties a request to the task that it became. */
  #detach({ ctx }: Origin, task: Task, over: AbortSignal | undefined): void {
    const { client, principal, clientId } = task;
    detach(ctx, { client, principal, clientId, over, until: endOf(task) });
  }

  /** Stores a new task (tasks-1). @returns it, and a signal that fires when it is over if a gateway took its call */
  async #keep(
    read: CallRequest,
    { ctx, request, registered, server }: Origin,
    start: Partial<Task>,
  ): Promise<{ readonly task: Task; readonly over: AbortSignal | undefined }> {
    const now = this.#config.clock.now();
    const { progressToken: _, ...meta } = request.params._meta ?? {};
    const hasOwner = read.principal !== undefined || ctx.sessionId !== undefined;
    const begun: Task = {
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
    const share = JSON.stringify(begun).length;
    const task = { ...begun, share };
    if (task.isPersonal) this.#servers.serve(task.owner, server);
    const key = keyOf(task);
    const person = principalKey(task.principal);
    const taken = { characters: share, until: latestOf(task) };
    await this.#config.shares.take(person, taken);
    this.#beginning.add(key);
    try {
      await this.#open.add(task);
      if (is2025Task(task)) await this.#lists.add(task);
      await Promise.all([this.#store.create(task), this.#config.waiting.addTask(key, latestOf(task))]);
    } catch (error) {
      this.#ended(task);
      await this.#config.shares.give(person, taken);
      throw error;
    } finally {
      this.#beginning.delete(key);
    }
    return { task, over: registered.gateway ? this.#servers.bind(task, server) : undefined };
  }
}
