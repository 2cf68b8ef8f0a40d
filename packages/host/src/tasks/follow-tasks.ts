/** Tasks for a client of the SDK that has no inbox, such as a script or a test: its calls return the results of their tasks. */
import { randomUUID } from 'node:crypto';
import { checkOptions, func, having, required } from '@midcall/core/options';
import { afterClose, interceptTransport } from '@midcall/core/sdk-seam';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { callsNameTasks, eraOf } from '../base/index.ts';
import type { AnyClient } from '../sdk-seam/index.ts';
import { TaskFollower } from './task-follower.ts';
import { tasksExtension } from './task-messages.ts';

/** A request that a task makes of its client, as the server sent it. */
export interface TaskQuestion {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`; a server may send anything. */
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Options of following a client's tasks. */
export interface FollowTasksOptions {
  /** The client that is about to connect. */
  readonly client: AnyClient;
  /**
   * Answers what a task asks on 2026-07-28; on 2025-11-25 questions go to the handlers of the client.
   * @param signal - fires when the task withdraws the question
   * @returns the result of the request. If it throws, the task is cancelled and its call ends with the error
   */
  readonly answer: (question: TaskQuestion, signal: AbortSignal) => Promise<object>;
  /** The machine's own if absent. */
  readonly clock?: Clock;
}

/**
 * Follows every task that a call of a client becomes, over the transport that the client is about to connect. A call that the
 * server answers with a task stays open for the client, and resolves with the task's result. On 2025-11-25, every tool that
 * allows it is called as a task. Cancelling the call cancels the task; when the connection ends, tasks continue without it.
 * `attach` does this itself, with the questions in its inbox. (Extension `io.modelcontextprotocol/tasks`; 2025-11-25,
 * basic/utilities/tasks)
 *
 * @param transport - not connected yet
 * @throws TypeError for an option that is missing, unknown or invalid; SdkError if the client is connected already
 * @example
 * ```ts
 * followTasks(transport, { client, answer: async question => replyTo(question) });
 * await client.connect(transport);
 * ```
 */
export function followTasks(transport: Transport, options: FollowTasksOptions): void {
  checkOptions('followTasks', options, {
    client: required(having('a Client of the SDK', 'registerCapabilities')),
    answer: required(func),
    clock: clockKind,
  });
  const { answer, clock = systemClock } = options;
  const client = options.client as unknown as Client;
  client.registerCapabilities({ extensions: { [tasksExtension]: {} } });
  const follower = new TaskFollower({
    clock,
    newId: randomUUID,
    stored: true,
    perRequestStream: transport.hasPerRequestStream === true,
    call: () => undefined,
    within: (_, fn) => fn(),
    server: () => ({
      callsNameTasks: callsNameTasks(eraOf(client.getNegotiatedProtocolVersion())),
      capabilities: client.getServerCapabilities(),
    }),
    answer: (_, { request }, signal) => answer(request as TaskQuestion, signal),
    onTask: async () => {},
    onCancel: () => {},
    onEnd: () => {},
  });
  interceptTransport(transport, follower);
  afterClose(transport, () => follower.close());
}
