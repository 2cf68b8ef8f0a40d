/** The tasks of one attached client: their questions go to its person, and they are stored for another process. */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, own } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import type { Client, Transport } from '@modelcontextprotocol/client';
import type { Asking } from '../asking/index.ts';
import { callsNameTasks, type Era } from '../base/index.ts';
import {
  type AskMethod,
  askMethods,
  type CallEvent,
  type Calls,
  type RunningCall,
  type TappedRequest,
} from '../calls/index.ts';
import type { Inbox } from '../inbox/index.ts';
import type { TaskServer } from '../servers/index.ts';
import { TaskFollower, type TaskOfCall, type TaskRequest } from './task-follower.ts';
import type { StoredTask, TaskStorage } from './tasks-file.ts';

export interface AttachedTasksOptions {
  readonly client: Client;
  readonly server: TaskServer;
  readonly era: () => Era;
  readonly inbox: Inbox;
  readonly asking: Asking;
  /** Has the person answer a request. @throws if its call must end with the error */
  readonly answer: (request: TappedRequest, withdrawn: AbortSignal) => Promise<object>;
  readonly calls: Calls;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly tell: (event: CallEvent) => void;
  /** Where they are stored; undefined if they end with this process. */
  readonly storage: TaskStorage | undefined;
  readonly onError: (error: unknown) => void;
}

export class AttachedTasks {
  readonly #options: AttachedTasksOptions;
  /** The tasks that this process follows, by the ids of their calls. */
  readonly #own = new Map<string, StoredTask>();
  #follower: TaskFollower | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: AttachedTasksOptions) {
    this.#options = options;
  }

  /** The layer between the tap and a transport. */
  follower(transport: Transport): TaskFollower {
    const { clock, newId, calls, client, era } = this.#options;
    this.#follower = new TaskFollower({
      clock,
      newId,
      stored: this.#options.storage !== undefined,
      perRequestStream: transport.hasPerRequestStream === true,
      call: () => calls.current(),
      within: (call, fn) => calls.within(call, fn),
      server: () => ({ callsNameTasks: callsNameTasks(era()), capabilities: client.getServerCapabilities() }),
      answer: (call, request, withdrawn) => this.#answer(call, request, withdrawn),
      onTask: task => this.#onTask(task),
      onCancel: call => this.#onCancel(call.context.id),
      onEnd: (call, over) => {
        // What became of it is not known, and nobody says that it failed.
        if (!over) calls.answered(call);
        this.#onEnd(call.context.id, over);
      },
    });
    return this.#follower;
  }

  /** The connection is closed; its tasks continue without it. */
  close(): void {
    this.#follower?.close();
    const left = [...this.#own.keys()];
    this.#own.clear();
    if (left.length > 0) void this.#write(storage => storage.release(left));
  }

  /** Resolves when all changes so far are stored, and servers know what was cancelled or take too long to say so. */
  async settled(): Promise<void> {
    await this.#follower?.settled();
    await this.#writes;
  }

  /**
   * Takes over the tasks that an earlier process or connection left with this server.
   * @param callId - only this one; all if absent
   * @returns the calls; the next request of each is its task
   */
  async takeUp(callId?: string): Promise<readonly StoredTask[]> {
    const { storage, server, era, calls } = this.#options;
    if (!storage) return [];
    await this.#writes;
    const isHere = ({ server: of, era: at, call }: StoredTask): boolean =>
      (callId === undefined || call.id === callId) &&
      of.id === server.id &&
      of.origin === server.origin &&
      at === era() &&
      calls.get(call.id) === undefined;
    const left = await storage.takeUp(isHere);
    for (const task of left) {
      this.#own.set(task.call.id, task);
      this.#follower?.resume(task);
    }
    return left;
  }

  async #onTask({ call, state }: TaskOfCall): Promise<void> {
    const { storage, tell, server, era } = this.#options;
    const { context, startedAt } = call;
    const status = state.status === 'input_required' ? 'input_required' : 'working';
    const before = this.#own.get(context.id);
    if (storage && before?.status !== status) {
      const { taskId } = state;
      const expires = typeof state.ttlMs === 'number' && { expiresAt: startedAt + state.ttlMs };
      const fresh = { call: context, server, era: era(), taskId, startedAt, questions: {}, ...expires };
      this.#own.set(context.id, { ...fresh, ...before, status });
      if (!(await this.#save(context.id))) this.#own.delete(context.id);
    }
    const message = state.statusMessage;
    const task = { status, resumable: this.#own.has(context.id), ...(message !== undefined && { message }) } as const;
    if (this.#options.calls.get(context.id) === call) tell({ type: 'call-task', call: context, task });
  }

  /** Until the server confirms it, a process that takes the task over cancels it again (tasks-file-3). */
  #onCancel(callId: string): void {
    const task = this.#own.get(callId);
    if (!task) return;
    this.#own.set(callId, { ...task, cancelled: true });
    void this.#save(callId);
  }

  #onEnd(callId: string, over: boolean): void {
    if (!this.#own.delete(callId)) return;
    void this.#write(storage => (over ? storage.drop(callId) : storage.release([callId])));
  }

  /** Asks the person a task's question, under the id it had in an earlier process. */
  async #answer(call: RunningCall | undefined, request: TaskRequest, withdrawn: AbortSignal): Promise<object> {
    const { answer, asking, newId, inbox } = this.#options;
    const method = own(request.request, 'method');
    if (!askMethods.includes(method as AskMethod)) {
      const why = `A task asked for '${String(method)}', which a client does not answer.`;
      asking.refused('task', 'host', why, call?.context);
      throw new MidcallError('host/invalid-request', why);
    }
    const params = own(request.request, 'params');
    const before = call && this.#own.get(call.context.id)?.questions[request.key];
    // A question that ended here, perhaps with its connection, is asked again.
    const id = before === undefined || inbox.ending(before) ? newId() : before;
    if (call && before !== id) await this.#remember(call.context.id, request.key, id);
    return answer({ id, method: method as AskMethod, params: isRecord(params) ? params : {}, call }, withdrawn);
  }

  async #remember(callId: string, key: string, questionId: string): Promise<void> {
    const task = this.#own.get(callId);
    if (!task) return;
    this.#own.set(callId, { ...task, questions: { ...task.questions, [key]: questionId } });
    await this.#save(callId);
  }

  /** @returns true if it is stored now */
  #save(callId: string): Promise<boolean> {
    return this.#write(async storage => {
      const task = this.#own.get(callId);
      if (task) await storage.keep(task);
    });
  }

  #write(change: (taskStorage: TaskStorage) => Promise<unknown>): Promise<boolean> {
    const { storage, onError } = this.#options;
    if (!storage) return Promise.resolve(false);
    const failed = (error: unknown): boolean => {
      onError(error);
      return false;
    };
    const written = this.#writes.then(() => change(storage)).then(() => true, failed);
    this.#writes = written;
    return written;
  }
}
