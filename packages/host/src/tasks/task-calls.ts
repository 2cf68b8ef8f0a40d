/**
 * Calls whose answer may be a task, from when they are sent until they are answered. On 2025-11-25 a call asks for a task
 * itself, if its tool allows it; on 2026-07-28 the client declares that it supports tasks.
 */
import { isRecord, type JsonObject } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';
import type { RunningCall } from '../calls/index.ts';
import type { OwnRequests, SentFor } from './own-requests.ts';
import { createdTask, declaresTasks, type TaskState } from './task-messages.ts';
import { type TaskMode, TaskSupport, takesTasks } from './task-support.ts';

type Send = (message: JsonRpcMessage) => Promise<void>;

/** A call of the client. */
export interface SentCall extends SentFor {
  readonly id: unknown;
  readonly call: RunningCall | undefined;
  /** Fires if the call is cancelled, even after it has become a task. */
  readonly signal: AbortSignal | undefined;
}

/** What a server declares, once that is known. */
export interface DeclaringServer {
  readonly callsNameTasks: boolean;
  readonly capabilities: unknown;
}

interface Expected {
  readonly sent: SentCall;
  /** True if it asks for a task itself. */
  readonly asTask: boolean;
  /** True if its answer is no longer needed. */
  abandoned: boolean;
  /** Called once it is answered. */
  readonly stop: () => void;
}

/** The answer to a call. */
export interface AnsweredCall {
  readonly sent: SentCall;
  /** Undefined for a result. */
  readonly state: TaskState | undefined;
  /** True if it is no longer needed. */
  readonly abandoned: boolean;
}

export interface TaskCallsOptions {
  /** True if tasks are stored for another process, or wanted for another reason. */
  readonly stored: boolean;
  readonly server: () => DeclaringServer;
  readonly requests: OwnRequests;
}

/** Calls that were cancelled before their answer, which may be a task; only this many are remembered. */
const mostAbandoned = 1_000;
/** The time to live requested for a task, in milliseconds: a person may be away for a few days. */
const ttlMs = 7 * 24 * 60 * 60_000;

export class TaskCalls {
  readonly #options: TaskCallsOptions;
  readonly #support = new TaskSupport();
  readonly #expected = new Map<unknown, Expected>();

  constructor(options: TaskCallsOptions) {
    this.#options = options;
  }

  /** Processes a message of the server. */
  note(message: JsonRpcMessage): void {
    this.#support.note(message);
  }

  /** Sends a call, as one that may become a task if both sides support tasks. */
  send(message: JsonRpcMessage, sent: SentCall, send: Send): Promise<void> {
    const { callsNameTasks, capabilities } = this.#options.server();
    if (callsNameTasks) return takesTasks(capabilities) ? this.#sendAsTask(message, sent, send) : send(message);
    if (declaresTasks(sent.meta[CLIENT_CAPABILITIES_META_KEY])) this.#expect(sent, false);
    return send(message);
  }

  /** Takes the answer to a call. @returns undefined if no call with this id is waiting */
  answered(response: JsonRpcMessage): AnsweredCall | undefined {
    const { id } = response;
    const expected = this.#expected.get(id);
    if (!expected) return undefined;
    this.#expected.delete(id);
    expected.stop();
    const { sent, asTask, abandoned } = expected;
    return { sent, abandoned, state: createdTask(response['result'], asTask) };
  }

  /** The client cancels a call. @returns true if the server is not to be told, since its answer will be a task */
  giveUp(id: unknown): boolean {
    const expected = this.#expected.get(id);
    if (expected) expected.abandoned = true;
    return expected?.asTask === true;
  }

  clear(): void {
    this.#expected.clear();
  }

  #sendAsTask(message: JsonRpcMessage, sent: SentCall, send: Send): Promise<void> {
    const { stored: storage, requests } = this.#options;
    const params = message['params'] as JsonObject;
    const tool = String(params['name']);
    const supported = (support: TaskMode): Promise<void> => {
      // A call that could not be resumed gains nothing by being a task.
      if (support === 'forbidden' || (support === 'optional' && !storage)) return send(message);
      this.#expect(sent, true);
      return send({ ...message, params: { ...params, task: { ttl: ttlMs } } });
    };
    const support = this.#support.cached(tool);
    if (support) return supported(support);
    const list = (page: JsonObject) => requests.ask(sent, 'tools/list', page);
    return this.#support.of(tool, list).then(each => (sent.signal?.aborted ? undefined : supported(each)));
  }

  #expect(sent: SentCall, asTask: boolean): void {
    const { signal } = sent;
    // Over HTTP, cancelling a call sends nothing, and its answer may never come.
    const abandoned = (): void => {
      expected.abandoned = true;
      const left = [...this.#expected].filter(([, each]) => each.abandoned);
      if (left.length > mostAbandoned) this.#expected.delete(left[0]![0]);
    };
    const stop = (): void => signal?.removeEventListener('abort', abandoned);
    const expected: Expected = { sent, asTask, abandoned: false, stop };
    this.#expected.set(sent.id, expected);
    signal?.addEventListener('abort', abandoned, { once: true });
  }
}

/** The `params` of a message. */
export const paramsOf = (message: JsonRpcMessage): JsonObject => (isRecord(message['params']) ? message['params'] : {});
