/**
 * Follows tasks for a client that knows only calls, in both revisions: a call that is answered with a task stays open for the
 * client, and is polled here. The task's questions are put to the person like any other, and its outcome becomes the answer to
 * the call.
 *
 * - task-follower-1 If tasks are stored, a task is in the file before it is followed, so that another process can resume it.
 * - task-follower-2 A server's messages about a task are judged like any answer or question, and trusted no more than those.
 * - task-follower-3 Cancelling a call cancels its task. Losing its connection does not: the task continues without it.
 * - task-follower-4 How often a task asks is not limited by the rounds of its call.
 */
import { isRecord, type JsonObject, own } from '@midcall/core/json';
import type { Interception, JsonRpcMessage, SendApart } from '@midcall/core/sdk-seam';
import { type Clock, inTime } from '@midcall/core/time';
import { RELATED_TASK_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/client';
import { cancelledByPerson, type RunningCall } from '../calls/index.ts';
import { FollowedTask, isFinal, type TaskEnd } from './followed-task.ts';
import { metaOf, OwnRequests } from './own-requests.ts';
import { type DeclaringServer, paramsOf, type SentCall, TaskCalls } from './task-calls.ts';
import { readTask, type TaskState, withoutTasks } from './task-messages.ts';
import { cancelsTasks } from './task-support.ts';
import type { StoredTask } from './tasks-file.ts';

type Deliver = (message: JsonRpcMessage) => void;
type Send = (message: JsonRpcMessage) => Promise<void>;

/** The task of a call, as it is stored. */
export interface TaskOfCall {
  readonly call: RunningCall;
  readonly state: TaskState;
}

/** A request that a task makes; untrusted. */
export interface TaskRequest {
  /** Its name on the wire. */
  readonly key: string;
  readonly request: unknown;
}

export interface TaskFollowerOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** The call that is being sent. */
  readonly call: () => RunningCall | undefined;
  /** True if tasks are stored for another process, or wanted for another reason. */
  readonly stored: boolean;
  /** True if the transport has a stream for each request. */
  readonly perRequestStream: boolean;
  /** Runs a function as part of a call, so that what it passes on belongs to that call. */
  readonly within: (call: RunningCall, fn: () => void) => void;
  readonly server: () => DeclaringServer;
  /** Asks the person what a task asks. @throws if the call must end with the error */
  readonly answer: (call: RunningCall | undefined, asked: TaskRequest, taken: AbortSignal) => Promise<object>;
  /** Called when a call has become a task, before it is followed; and for each change after that. */
  readonly onTask: (task: TaskOfCall) => Promise<void>;
  /** Called when a call is given up and its task is about to be cancelled; `onEnd` follows. */
  readonly onCancel: (call: RunningCall) => void;
  /**
   * Called when a task needs no following any more. @param over - false if the task may go on, but its server no longer answers
   * for it
   */
  readonly onEnd: (call: RunningCall, over: boolean) => void;
}

interface Followed {
  readonly sent: SentCall;
  readonly task: FollowedTask;
  /** Called once it is not followed any more. */
  readonly stop: () => void;
}

/** How many tasks the server is asked to report on unasked; over HTTP each is a connection. */
const mostListening = 32;
/** Milliseconds a server has to confirm that it cancelled a task. */
const mostCancelMs = 5_000;

export class TaskFollower implements Interception {
  readonly #options: TaskFollowerOptions;
  readonly #requests: OwnRequests;
  readonly #calls: TaskCalls;
  /** Tasks that are followed, by the id of their request. */
  readonly #followed = new Map<unknown, Followed>();
  /** Calls that are tasks already, by the ids of the calls. */
  readonly #resuming = new Map<string, { readonly state: TaskState; readonly cancelled: boolean }>();
  /** Subscriptions to changes of tasks (extension), by the ids of their requests. */
  readonly #listening = new Map<unknown, FollowedTask>();
  /** Requests of the server for a task, by their ids. */
  readonly #pushed = new Map<unknown, { readonly taskId: string; readonly answered: () => void }>();
  /** Cancelled tasks that the server has not confirmed yet. */
  readonly #cancelling = new Set<Promise<void>>();
  #deliver: Deliver | undefined;

  constructor(options: TaskFollowerOptions) {
    this.#options = options;
    const { newId, stored, server, perRequestStream } = options;
    // On 2026-07-28 over HTTP.
    const closesStreams = (): boolean => perRequestStream && !server().callsNameTasks;
    this.#requests = new OwnRequests({ newId, closesStreams });
    this.#calls = new TaskCalls({ stored, server, requests: this.#requests });
  }

  /** Stops following; sends no further requests. */
  close(): void {
    for (const { stop } of this.#followed.values()) stop();
    this.#requests.close();
    this.#calls.clear();
    for (const map of [this.#followed, this.#pushed, this.#resuming, this.#listening]) map.clear();
  }

  /** Resolves when the server has confirmed every cancelled task, or has taken too long. */
  async settled(): Promise<void> {
    if (this.#cancelling.size > 0) await inTime(Promise.all(this.#cancelling), mostCancelMs, this.#options.clock);
  }

  /** Keeps the next request of this call from being sent, since the call is a task already. */
  resume({ call, taskId, status, cancelled = false }: StoredTask): void {
    const working = readTask({ taskId, status: 'working' })!;
    const state: TaskState = status === 'input_required' ? { ...working, status } : working;
    this.#resuming.set(call.id, { state, cancelled });
  }

  readonly incoming = (message: JsonRpcMessage, deliver: Deliver): void => {
    this.#deliver = deliver;
    if ('method' in message) this.#incomingRequest(message, deliver);
    else this.#incomingResponse(message, deliver);
  };

  readonly outgoing = (
    message: JsonRpcMessage,
    send: Send,
    sendApart: SendApart,
    connectionGone?: AbortSignal,
  ): Promise<void> => {
    const { method, id } = message;
    const params = paramsOf(message);
    if (method === undefined) return send(this.#answered(message));
    if (method === 'notifications/cancelled') return this.#cancelled(params['requestId'], () => send(message));
    if (method === 'initialize') return send(withoutTasks(message));
    if (method !== 'tools/call' || id === undefined) return send(message);

    const call = this.#options.call();
    const sent: SentCall = {
      id,
      meta: metaOf(params),
      send: sendApart,
      call,
      signal: call?.abort.signal ?? connectionGone,
    };
    const resumed = sent.call && this.#resuming.get(sent.call.context.id);
    if (!sent.call || !resumed) return this.#calls.send(message, sent, send);
    this.#resuming.delete(sent.call.context.id);
    void this.#begin(sent, resumed.state, resumed.cancelled);
    return Promise.resolve();
  };

  #incomingResponse(message: JsonRpcMessage, deliver: Deliver): void {
    if (this.#requests.take(message)) return;
    this.#calls.note(message);
    const answered = this.#calls.answered(message);
    if (!answered?.state) deliver(message);
    else if (answered.abandoned) void this.#cancel(answered.sent, answered.state.taskId);
    else void this.#begin(answered.sent, answered.state);
  }

  #incomingRequest(message: JsonRpcMessage, deliver: Deliver): void {
    const { method, id, params } = message;
    this.#calls.note(message);
    const listening = this.#listening.get(own(own(params, '_meta'), SUBSCRIPTION_ID_META_KEY));
    if (listening && method === 'notifications/subscriptions/acknowledged') {
      const agreed = own(own(params, 'notifications'), 'taskIds');
      listening.listened(Array.isArray(agreed) && agreed.includes(listening.taskId));
      return;
    }
    if (method === 'notifications/tasks/status' || method === 'notifications/tasks') {
      this.#told(params);
      return;
    }
    if (method === 'notifications/cancelled') this.#pushed.delete(own(params, 'requestId'));
    const taskId = own(own(own(params, '_meta'), RELATED_TASK_META_KEY), 'taskId');
    const followed = typeof taskId === 'string' ? this.#find(taskId) : undefined;
    if (followed && id !== undefined) {
      this.#pushed.get(id)?.answered();
      this.#pushed.set(id, { taskId: followed.task.taskId, answered: followed.task.pushed() });
    }
    if (followed?.sent.call) this.#options.within(followed.sent.call, () => deliver(message));
    else deliver(message);
  }

  /** Changes that the server reports unasked; for a task that nobody follows they mean nothing. */
  #told(params: unknown): void {
    const state = readTask(params);
    if (state) this.#find(state.taskId)?.task.heard(state);
  }

  #find(taskId: string): Followed | undefined {
    for (const each of this.#followed.values()) if (each.task.taskId === taskId) return each;
    return undefined;
  }

  /** Every response that belongs to a task says so (2025-11-25). */
  #answered(response: JsonRpcMessage): JsonRpcMessage {
    const pushed = this.#pushed.get(response['id']);
    this.#pushed.delete(response['id']);
    pushed?.answered();
    const { result } = response;
    if (!pushed || !isRecord(result)) return response;
    const meta = isRecord(result['_meta']) ? result['_meta'] : {};
    const related = { ...meta, [RELATED_TASK_META_KEY]: { taskId: pushed.taskId } };
    return { ...response, result: { ...result, _meta: related } };
  }

  /** Cancels the request that the client cancels. That message does not cancel a task, in either revision. */
  async #cancelled(id: unknown, pass: () => Promise<void>): Promise<void> {
    const followed = this.#followed.get(id);
    const becomesTask = this.#calls.giveUp(id);
    if (followed) this.#giveUp(followed);
    else if (!becomesTask) await pass();
  }

  /** @param cancelled - true if the task was cancelled before: it is cancelled again, and not followed */
  async #begin(sent: SentCall, first: TaskState, cancelled = false): Promise<void> {
    const { taskId } = first;
    const { clock, server, answer, onTask, onEnd } = this.#options;
    const tell = async (state: TaskState): Promise<void> => sent.call && onTask({ call: sent.call, state });
    let last = first;
    const task = new FollowedTask(taskId, {
      clock,
      pushes: server().callsNameTasks,
      ask: (method, params, late) => this.#requests.ask(sent, method, params, late ? { signal: late } : {}),
      answer: (key, request, withdrawn) => answer(sent.call, { key, request }, withdrawn),
      onState: state => {
        const news = state.status !== last.status || state.statusMessage !== last.statusMessage;
        last = state;
        if (news) void tell(state);
      },
    });
    const { signal } = sent;
    // A question of the task pauses the limit by itself.
    const goOn = sent.call?.limitsTask ? undefined : sent.call?.timeout.pause();
    const giveUp = (): void => this.#giveUp(followed);
    const ended = new AbortController();
    const stop = (): void => {
      task.stop();
      ended.abort();
      signal?.removeEventListener('abort', giveUp);
      goOn?.();
    };
    const followed: Followed = { sent, task, stop };
    this.#followed.set(sent.id, followed);
    if (cancelled) sent.call?.abort.abort(cancelledByPerson);
    if (signal?.aborted) {
      this.#giveUp(followed);
      return;
    }
    signal?.addEventListener('abort', giveUp, { once: true });
    await tell(first);
    if (!server().callsNameTasks) void this.#listen(sent, task, ended.signal);
    const end = await task.follow(first);
    if (this.#followed.get(sent.id) !== followed) return;
    this.#stop(followed);
    if (sent.call) onEnd(sent.call, end !== undefined);
    this.#end(followed, end ?? { error: unreachable(task.problem) });
  }

  #end({ sent, task }: Followed, end: TaskEnd): void {
    const deliver = (ended: JsonObject): void => this.#deliver?.({ jsonrpc: '2.0', id: sent.id, ...ended });
    if (!('error' in end && end.error instanceof Error)) {
      deliver(end);
      return;
    }
    // Its questions cannot be shown to a person.
    void this.#cancel(sent, task.taskId);
    if (sent.call) sent.call.abort.abort(end.error);
    else deliver({ error: { code: -32603, message: end.error.message } });
  }

  #stop({ sent, stop }: Followed): void {
    this.#followed.delete(sent.id);
    stop();
  }

  #giveUp(followed: Followed): void {
    if (this.#followed.get(followed.sent.id) !== followed) return;
    const { sent, task } = followed;
    this.#stop(followed);
    if (sent.call) this.#options.onCancel(sent.call);
    const told = this.#cancel(sent, task.taskId).then(isTold => {
      this.#cancelling.delete(told);
      if (sent.call) this.#options.onEnd(sent.call, isTold);
    });
    this.#cancelling.add(told);
  }

  /** @returns false if the server did not confirm it */
  async #cancel(sent: SentCall, taskId: string): Promise<boolean> {
    const { callsNameTasks, capabilities } = this.#options.server();
    if (callsNameTasks && !cancelsTasks(capabilities)) return true;
    const response = await this.#requests.ask(sent, 'tasks/cancel', { taskId });
    const error = own(response, 'error');
    return response !== undefined && (error === undefined || isFinal(error));
  }

  /** Asks the server to report changes of a task until it is over; without its consent the task is polled as before. */
  async #listen(sent: SentCall, task: FollowedTask, ended: AbortSignal): Promise<void> {
    if (this.#listening.size >= mostListening) return;
    const id = this.#requests.id();
    this.#listening.set(id, task);
    // Over HTTP, the end of the stream is the only sign of a server that disconnects.
    const onRequestStreamEnd = (): void => this.#requests.end(id);
    const params = { notifications: { taskIds: [task.taskId] } };
    await this.#requests.ask(sent, 'subscriptions/listen', params, { id, signal: ended, onRequestStreamEnd });
    this.#listening.delete(id);
    task.listened(false);
  }
}

const unreachable = (problem: string | undefined) => ({
  code: -32603,
  message: `The server no longer answers for the task of this call${problem === undefined ? '.' : `: ${problem}`}`,
});
