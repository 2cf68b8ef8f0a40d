/**
 * Follows tasks (extension `io.modelcontextprotocol/tasks`) for a client that knows calls alone. A call that is answered with
 * a task stays open above, and is asked after here: what the task asks comes to the client as a round of its call, what the
 * client answers to that round goes to the task, and what comes of the task is the answer to the call.
 *
 * - task-follower-1 The state of such a round names the task and nothing else, so another process can go on with it.
 * - task-follower-2 A question that was answered is not asked again, however long the server takes to go on.
 * - task-follower-3 What a server says of a task is judged as any round is: no more is believed of it.
 * - task-follower-4 A call that is given up cancels its task, also while a question of it is open.
 */
import { isRecord } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import type { Clock } from '@midcall/core/time';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';

/** The name of the extension, as a client declares it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export interface TaskFollowerOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** What fires where the call that is being sent is given up; over HTTP nothing is sent of that. */
  readonly givenUp: () => AbortSignal | undefined;
}

/** A call of the client's, as far as it matters here. */
interface Call {
  readonly id: unknown;
  readonly meta: unknown;
  readonly send: (message: JsonRpcMessage) => Promise<void>;
  readonly givenUp?: AbortSignal | undefined;
}

type Deliver = (message: JsonRpcMessage) => void;
type Json = Readonly<Record<string, unknown>>;

/** A task that is followed for a call. */
interface Followed {
  readonly call: Call;
  readonly taskId: string;
  /** Called once it is not followed any more. */
  readonly stop: () => void;
}

/** Begins the state of a round that a task asks. */
const mark = 'midcall-task:';
/** Milliseconds between two looks where the server does not say, and the least and the most there may be. */
const usualPoll = 1_000;
const leastPoll = 50;
const mostPoll = 60_000;
/** Looks in a row that may fail before the call does. */
const mostFailures = 5;

export class TaskFollower implements Interception {
  readonly #options: TaskFollowerOptions;
  /** Calls whose answer may be a task, by their ids. */
  readonly #calls = new Map<unknown, Call>();
  /** Tasks that are followed, by the id of their call. */
  readonly #followed = new Map<unknown, Followed>();
  /** Requests of ours, by their ids. */
  readonly #asked = new Map<unknown, (response: Json | undefined) => void>();
  readonly #answered = new Map<string, Set<string>>();
  /** Tasks whose questions the client is asking, and what ends watching whether the call is given up meanwhile. */
  readonly #asking = new Map<string, () => void>();
  #deliver: Deliver | undefined;
  #closed = false;
  #looks = 0;

  constructor(options: TaskFollowerOptions) {
    this.#options = options;
  }

  /** Stops: nothing more is asked. */
  close(): void {
    this.#closed = true;
    for (const settle of this.#asked.values()) settle(undefined);
    this.#asked.clear();
    this.#followed.clear();
    this.#calls.clear();
  }

  readonly incoming = (message: JsonRpcMessage, deliver: Deliver): void => {
    this.#deliver = deliver;
    const settle = this.#asked.get(message['id']);
    if (settle && !('method' in message)) {
      this.#asked.delete(message['id']);
      settle(message);
      return;
    }
    const call = 'method' in message ? undefined : this.#calls.get(message['id']);
    const result = message['result'];
    if (call) this.#calls.delete(message['id']);
    if (call && isRecord(result) && result['resultType'] === 'task' && typeof result['taskId'] === 'string') {
      this.#follow(call, result['taskId'], result);
      return;
    }
    deliver(message);
  };

  readonly outgoing = (message: JsonRpcMessage, send: Call['send'], sendApart: Call['send']): Promise<void> => {
    const params = isRecord(message['params']) ? message['params'] : {};
    if (message['method'] === 'notifications/cancelled') {
      const followed = this.#followed.get(params['requestId']);
      if (followed === undefined) return send(message);
      this.#giveUp(followed);
      return Promise.resolve();
    }
    if (message['method'] === 'initialize') return send(withoutTasks(message, params));
    if (message['method'] !== 'tools/call' || message['id'] === undefined) return send(message);
    const call: Call = { id: message['id'], meta: params['_meta'], send: sendApart, givenUp: this.#options.givenUp() };
    const state = params['requestState'];
    if (typeof state === 'string' && state.startsWith(mark)) {
      this.#goOn(call, state.slice(mark.length), params['inputResponses']);
      return Promise.resolve();
    }
    if (declaresTasks(call.meta)) {
      this.#calls.set(call.id, call);
      // A call that is given up may never be answered.
      call.givenUp?.addEventListener('abort', () => this.#calls.delete(call.id), { once: true });
    }
    return send(message);
  };

  /** Brings the answers of a round to its task. */
  #goOn(call: Call, taskId: string, responses: unknown): void {
    const inputResponses = isRecord(responses) ? responses : {};
    const answered = this.#answered.get(taskId) ?? new Set();
    for (const key of Object.keys(inputResponses)) answered.add(key);
    this.#answered.set(taskId, answered);
    this.#asking.get(taskId)?.();
    this.#begin(call, taskId);
    void this.#bring(call, taskId, inputResponses, 0);
  }

  async #bring(call: Call, taskId: string, inputResponses: Json, failures: number): Promise<void> {
    const response = await this.#ask(call, 'tasks/update', { taskId, inputResponses });
    if (!this.#isFollowed(call, taskId)) return;
    if (isRecord(response?.['error'])) return this.#end(call, taskId, { error: response['error'] });
    if (response) return this.#look(call, taskId, {}, 0);
    if (failures >= mostFailures) return this.#end(call, taskId, { error: unreachable });
    await this.#pause(backOff(failures + 1));
    if (this.#isFollowed(call, taskId)) await this.#bring(call, taskId, inputResponses, failures + 1);
  }

  #begin(call: Call, taskId: string): void {
    this.#stop(call.id);
    const giveUp = (): void => this.#giveUp(followed);
    const stop = (): void => call.givenUp?.removeEventListener('abort', giveUp);
    const followed = { call, taskId, stop };
    this.#followed.set(call.id, followed);
    call.givenUp?.addEventListener('abort', giveUp, { once: true });
  }

  #isFollowed(call: Call, taskId: string): boolean {
    return !this.#closed && this.#followed.get(call.id)?.taskId === taskId;
  }

  #stop(id: unknown): void {
    this.#followed.get(id)?.stop();
    this.#followed.delete(id);
  }

  #giveUp({ call, taskId }: Followed): void {
    this.#stop(call.id);
    this.#cancel(call, taskId);
  }

  #cancel(call: Call, taskId: string): void {
    this.#answered.delete(taskId);
    void this.#ask(call, 'tasks/cancel', { taskId });
  }

  #follow(call: Call, taskId: string, seen: Json): void {
    this.#begin(call, taskId);
    void this.#look(call, taskId, seen, 0);
  }

  async #look(call: Call, taskId: string, seen: Json, failures: number): Promise<void> {
    await this.#pause(failures > 0 ? backOff(failures) : pollOf(seen));
    if (!this.#isFollowed(call, taskId)) return;
    const response = await this.#ask(call, 'tasks/get', { taskId });
    if (!this.#isFollowed(call, taskId)) return;
    if (isRecord(response?.['error'])) return this.#end(call, taskId, { error: response['error'] });
    const task = response?.['result'];
    if (!isRecord(task)) {
      if (failures < mostFailures) return this.#look(call, taskId, seen, failures + 1);
      return this.#end(call, taskId, { error: unreachable });
    }
    this.#progress(call, task);
    switch (task['status']) {
      case 'completed':
        return this.#end(call, taskId, { result: { resultType: 'complete', ...(task['result'] as Json) } });
      case 'failed':
        return this.#end(call, taskId, { error: task['error'] ?? failed('The task failed.') });
      case 'cancelled':
        return this.#end(call, taskId, { error: failed('The server cancelled the task.') });
      case 'input_required':
        if (this.#round(call, taskId, task['inputRequests'])) return;
        break;
      default:
    }
    return this.#look(call, taskId, task, 0);
  }

  /** @returns false where there is nothing new to ask */
  #round(call: Call, taskId: string, requests: unknown): boolean {
    const answered = this.#answered.get(taskId);
    const open = Object.entries(isRecord(requests) ? requests : {}).filter(([key]) => !answered?.has(key));
    if (open.length === 0) return false;
    this.#stop(call.id);
    const giveUp = (): void => {
      this.#asking.delete(taskId);
      if (!this.#closed) this.#cancel(call, taskId);
    };
    call.givenUp?.addEventListener('abort', giveUp, { once: true });
    this.#asking.set(taskId, () => {
      this.#asking.delete(taskId);
      call.givenUp?.removeEventListener('abort', giveUp);
    });
    const result = {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(open),
      requestState: `${mark}${taskId}`,
    };
    this.#deliver?.({ jsonrpc: '2.0', id: call.id, result });
    return true;
  }

  #end(call: Call, taskId: string, end: Json): void {
    this.#stop(call.id);
    this.#answered.delete(taskId);
    this.#deliver?.({ jsonrpc: '2.0', id: call.id, ...end });
  }

  /** Shows that the task goes on, so that nobody takes its silence for an end. */
  #progress({ meta }: Call, task: Json): void {
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined;
    if (progressToken === undefined) return;
    const said = task['statusMessage'];
    this.#looks += 1;
    const params = { progressToken, progress: this.#looks, ...(typeof said === 'string' && { message: said }) };
    this.#deliver?.({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }

  async #ask({ meta, send }: Call, method: string, params: Json): Promise<Json | undefined> {
    const id = `midcall-task-${this.#options.newId()}`;
    const { progressToken: _, ...own } = isRecord(meta) ? meta : {};
    const response = new Promise<Json | undefined>(resolve => this.#asked.set(id, resolve));
    try {
      await send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: own } });
    } catch {
      this.#asked.delete(id);
      return undefined;
    }
    return response;
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.#options.clock.after(ms, resolve);
    });
  }
}

const failed = (message: string) => ({ code: -32603, message });
const unreachable = failed('The server does not answer for its task any more.');

const backOff = (failures: number): number => Math.min(mostPoll, usualPoll * 2 ** failures);

function pollOf({ pollIntervalMs }: Json): number {
  const wanted = typeof pollIntervalMs === 'number' && Number.isFinite(pollIntervalMs) ? pollIntervalMs : usualPoll;
  return Math.min(mostPoll, Math.max(leastPoll, wanted));
}

/** The extension belongs to the revision that has no `initialize`. */
function withoutTasks(message: JsonRpcMessage, params: Json): JsonRpcMessage {
  const { extensions, ...capabilities } = isRecord(params['capabilities']) ? params['capabilities'] : {};
  if (!isRecord(extensions)) return message;
  const { [tasksExtension]: _, ...others } = extensions;
  const kept = Object.keys(others).length > 0 ? { ...capabilities, extensions: others } : capabilities;
  return { ...message, params: { ...params, capabilities: kept } };
}

function declaresTasks(meta: unknown): boolean {
  const capabilities = isRecord(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const extensions = isRecord(capabilities) ? capabilities['extensions'] : undefined;
  return isRecord(extensions) && tasksExtension in extensions;
}
