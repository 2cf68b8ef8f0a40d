/**
 * Follows tasks for a client that knows calls alone, in both revisions: a call that is answered with a task stays open above,
 * and is asked after here. What the task asks is put to the person as any question is; what comes of it is the answer to
 * the call.
 *
 * - task-follower-1 Where tasks are kept, one is in the file before it is followed, and another process can take it up.
 * - task-follower-2 What a server says of a task is judged as any answer and any question is: no more is believed of it.
 * - task-follower-3 A call that is given up cancels its task. One whose connection is gone does not: it goes on without it.
 * - task-follower-4 How often a task asks is not limited by the rounds of its call.
 */
import { isRecord, own } from '@midcall/core/json';
import type { ApartOptions, Interception, JsonRpcMessage, SendApart } from '@midcall/core/sdk-seam';
import type { Clock } from '@midcall/core/time';
import {
  CLIENT_CAPABILITIES_META_KEY,
  RELATED_TASK_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/client';
import type { RunningCall } from '../calls/calls.ts';
import { FollowedTask, type TaskEnd } from './followed-task.ts';
import type { KeptTask } from './kept-tasks.ts';
import { createdTask, declaresTasks, readTask, type TaskState, withoutTasks } from './task-messages.ts';
import { cancelsTasks, TaskSupport, takesTasks } from './task-support.ts';

type Json = Readonly<Record<string, unknown>>;
type Deliver = (message: JsonRpcMessage) => void;
type Send = (message: JsonRpcMessage) => Promise<void>;

/** A task of a call, for whoever keeps it. */
export interface TaskOfCall {
  readonly call: RunningCall;
  readonly state: TaskState;
}

/** Something that a task asks, untrusted. */
export interface TaskRequest {
  readonly taskId: string;
  /** Its name on the wire. */
  readonly key: string;
  readonly request: unknown;
}

export interface TaskFollowerOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** The call that is being sent. */
  readonly call: () => RunningCall | undefined;
  /** True where tasks are kept for another process. */
  readonly kept: boolean;
  /** True where the transport has a stream for each request. */
  readonly perRequestStream: boolean;
  /** Runs a function as part of a call, so that what it hands on counts as that call's. */
  readonly within: (call: RunningCall, fn: () => void) => void;
  /** What the server declares, once that is known. */
  readonly server: () => { readonly callsNameTasks: boolean; readonly capabilities: unknown };
  /** Asks the person what a task asks. @throws where the call is to end with it */
  readonly answer: (call: RunningCall | undefined, asked: TaskRequest, taken: AbortSignal) => Promise<object>;
  /** Told that a call has become a task, before it is followed; and of each change after that. */
  readonly onTask: (task: TaskOfCall) => Promise<void>;
  /** Told that a task needs no following any more. @param over - false where only its server does not answer for it */
  readonly onEnd: (call: RunningCall, over: boolean) => void;
}

/** A request of the client's that may be answered with a task. */
interface Sent {
  readonly id: unknown;
  readonly meta: Json;
  readonly send: SendApart;
  readonly call: RunningCall | undefined;
  /** True where it names a task itself. */
  readonly asked: boolean;
  /** True where nobody waits for its answer any more. */
  givenUp: boolean;
  /** Called once it has its answer. */
  stop?: () => void;
}

interface Followed {
  readonly sent: Sent;
  readonly task: FollowedTask;
  /** Called once it is not followed any more. */
  readonly stop: () => void;
}

/** How a request of ours is sent. */
interface AskOptions extends Pick<ApartOptions, 'onRequestStreamEnd'> {
  readonly id?: string;
  /** Gives it up. */
  readonly given?: AbortSignal;
}

/** Tasks that the server is asked to tell of by itself; over HTTP each is a connection. */
const mostListening = 32;
/** How long a task is to be there, in milliseconds: a person may be away for a few days. */
const ttlMs = 7 * 24 * 60 * 60_000;
/** Calls that were given up before their answer, which may be a task; more are not remembered. */
const mostGivenUp = 1_000;

export class TaskFollower implements Interception {
  readonly #options: TaskFollowerOptions;
  readonly #support = new TaskSupport();
  /** Calls whose answer may be a task, by their ids. */
  readonly #sent = new Map<unknown, Sent>();
  /** Tasks that are followed, by the id of their request. */
  readonly #followed = new Map<unknown, Followed>();
  /** Calls that are tasks already, by the ids of the calls. */
  readonly #resuming = new Map<string, TaskState>();
  /** Requests of ours, by their ids. */
  readonly #asked = new Map<unknown, (response: Json | undefined) => void>();
  /** What listens for news of tasks (extension), by the ids of the requests. */
  readonly #listening = new Map<unknown, FollowedTask>();
  /** Requests of the server for a task, by their ids. */
  readonly #pushed = new Map<unknown, { readonly taskId: string; readonly answered: () => void }>();
  #deliver: Deliver | undefined;
  #closed = false;

  constructor(options: TaskFollowerOptions) {
    this.#options = options;
  }

  /** Stops: nothing more is asked. */
  close(): void {
    this.#closed = true;
    for (const { stop } of this.#followed.values()) stop();
    for (const settle of [...this.#asked.values()]) settle(undefined);
    for (const map of [this.#followed, this.#sent, this.#pushed, this.#resuming, this.#listening]) map.clear();
  }

  /** The next request of this call is not sent: it is a task already. */
  resume({ call, taskId, status }: KeptTask): void {
    const state = readTask({ taskId, status: 'working' })!;
    this.#resuming.set(call.id, status === 'input_required' ? { ...state, status } : state);
  }

  readonly incoming = (message: JsonRpcMessage, deliver: Deliver): void => {
    this.#deliver = deliver;
    if ('method' in message) this.#incomingRequest(message, deliver);
    else this.#incomingResponse(message, deliver);
  };

  readonly outgoing = (message: JsonRpcMessage, send: Send, sendApart: SendApart): Promise<void> => {
    const { method, id } = message;
    const params = isRecord(message['params']) ? message['params'] : {};
    if (method === undefined) return send(this.#answered(message));
    if (method === 'notifications/cancelled') return this.#cancelled(params['requestId'], () => send(message));
    if (method === 'initialize') return send(withoutTasks(message));
    if (method !== 'tools/call' || id === undefined) return send(message);

    const meta = isRecord(params['_meta']) ? params['_meta'] : {};
    const sent: Sent = { id, meta, send: sendApart, call: this.#options.call(), asked: false, givenUp: false };
    const known = sent.call && this.#resuming.get(sent.call.context.id);
    if (sent.call && known) {
      this.#resuming.delete(sent.call.context.id);
      void this.#begin(sent, known);
      return Promise.resolve();
    }
    const { callsNameTasks, capabilities } = this.#options.server();
    if (callsNameTasks) return takesTasks(capabilities) ? this.#sendAsTask(message, sent, send) : send(message);
    if (declaresTasks(meta[CLIENT_CAPABILITIES_META_KEY])) this.#expect(sent);
    return send(message);
  };

  #incomingResponse(message: JsonRpcMessage, deliver: Deliver): void {
    const { id } = message;
    const settle = this.#asked.get(id);
    if (settle) {
      settle(message);
      return;
    }
    this.#support.note(message);
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    sent?.stop?.();
    const state = sent && createdTask(message['result'], sent.asked);
    if (!sent || !state) deliver(message);
    else if (sent.givenUp) this.#cancel(sent, state.taskId);
    else void this.#begin(sent, state);
  }

  #incomingRequest(message: JsonRpcMessage, deliver: Deliver): void {
    const { method, id, params } = message;
    this.#support.note(message);
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

  /** Status that the server tells by itself; of a task that nobody follows it says nothing. */
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

  /** The client gives a request up. A task is not cancelled by that message, in neither revision. */
  async #cancelled(id: unknown, pass: () => Promise<void>): Promise<void> {
    const followed = this.#followed.get(id);
    const sent = this.#sent.get(id);
    if (sent) sent.givenUp = true;
    if (followed) this.#giveUp(followed);
    else if (!sent?.asked) await pass();
  }

  async #sendAsTask(message: JsonRpcMessage, sent: Sent, send: Send): Promise<void> {
    const params = message['params'] as Json;
    const list = (page: Json) => this.#ask(sent, 'tools/list', page);
    const support = await this.#support.of(String(params['name']), list);
    if (sent.call?.abort.signal.aborted) return;
    // A call that nobody could take up again gains nothing by being a task.
    if (support === 'forbidden' || (support === 'optional' && !this.#options.kept)) return send(message);
    this.#expect({ ...sent, asked: true });
    return send({ ...message, params: { ...params, task: { ttl: ttlMs } } });
  }

  /** A call is sent whose answer may be a task. */
  #expect(sent: Sent): void {
    this.#sent.set(sent.id, sent);
    // Over HTTP nothing is sent of a call that is given up, and it may never be answered.
    const givenUp = (): void => {
      sent.givenUp = true;
      const left = [...this.#sent].filter(([, each]) => each.givenUp);
      if (left.length > mostGivenUp) this.#sent.delete(left[0]![0]);
    };
    const signal = sent.call?.abort.signal;
    signal?.addEventListener('abort', givenUp, { once: true });
    sent.stop = () => signal?.removeEventListener('abort', givenUp);
  }

  async #begin(sent: Sent, first: TaskState): Promise<void> {
    const { taskId } = first;
    const { clock, server, answer, onTask, onEnd } = this.#options;
    const tell = async (state: TaskState): Promise<void> => sent.call && onTask({ call: sent.call, state });
    let last = first;
    const task = new FollowedTask(taskId, {
      clock,
      pushes: server().callsNameTasks,
      ask: (method, params, given) => this.#ask(sent, method, params, given ? { given } : {}),
      answer: (key, request, taken) => answer(sent.call, { taskId, key, request }, taken),
      onState: state => {
        const news = state.status !== last.status || state.statusMessage !== last.statusMessage;
        last = state;
        if (news) void tell(state);
      },
    });
    const signal = sent.call?.abort.signal;
    const goOn = sent.call?.timeout.pause();
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
    const deliver = (ended: Json): void => this.#deliver?.({ jsonrpc: '2.0', id: sent.id, ...ended });
    if (!('error' in end && end.error instanceof Error)) {
      deliver(end);
      return;
    }
    // What it asked cannot be put to a person.
    this.#cancel(sent, task.taskId);
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
    if (sent.call) this.#options.onEnd(sent.call, true);
    this.#cancel(sent, task.taskId);
  }

  #cancel(sent: Sent, taskId: string): void {
    const { callsNameTasks, capabilities } = this.#options.server();
    if (!callsNameTasks || cancelsTasks(capabilities)) void this.#ask(sent, 'tasks/cancel', { taskId });
  }

  /** Asks to be told of a task by the server itself, until it is over; one that does not agree is looked at as before. */
  async #listen(sent: Sent, task: FollowedTask, ended: AbortSignal): Promise<void> {
    if (this.#listening.size >= mostListening) return;
    const id = this.#id();
    this.#listening.set(id, task);
    // Over HTTP the end of the stream is all that is heard where the server goes without a word.
    const onRequestStreamEnd = (): void => this.#asked.get(id)?.(undefined);
    const params = { notifications: { taskIds: [task.taskId] } };
    await this.#ask(sent, 'subscriptions/listen', params, { id, given: ended, onRequestStreamEnd });
    this.#listening.delete(id);
    task.listened(false);
  }

  /** True where a request is given up by closing what its answer comes on (2026-07-28 over HTTP). */
  #closesStreams(): boolean {
    return this.#options.perRequestStream && !this.#options.server().callsNameTasks;
  }

  #id(): string {
    return `midcall-task-${this.#options.newId()}`;
  }

  /** @returns the response; undefined where it could not be sent, is given up, or the connection is gone */
  async #ask(
    { meta, send }: Sent,
    method: string,
    params: Json,
    { id = this.#id(), given, onRequestStreamEnd }: AskOptions = {},
  ): Promise<Json | undefined> {
    if (this.#closed || given?.aborted) return undefined;
    const { progressToken: _, ...kept } = meta;
    return new Promise(resolve => {
      const settle = (response: Json | undefined): void => {
        this.#asked.delete(id);
        given?.removeEventListener('abort', giveUp);
        resolve(response);
      };
      const giveUp = (): void => {
        settle(undefined);
        if (this.#closed || this.#closesStreams()) return;
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
      };
      given?.addEventListener('abort', giveUp, { once: true });
      this.#asked.set(id, settle);
      const _meta = Object.keys(kept).length > 0 ? { _meta: kept } : {};
      const own = { ...(given && { requestSignal: given }), ...(onRequestStreamEnd && { onRequestStreamEnd }) };
      send({ jsonrpc: '2.0', id, method, params: { ...params, ..._meta } }, own).catch(() => settle(undefined));
    });
  }
}

const unreachable = (problem: string | undefined) => ({
  code: -32603,
  message: `The server does not answer for the task of this call any more${problem === undefined ? '.' : `: ${problem}`}`,
});
