/** A task as it is kept, and as it is told (extension `io.modelcontextprotocol/tasks`, "Tasks"). Pure. */

import type { ClientView } from '../call/client-view.ts';
import { digest, type Json } from '../digest.ts';
import { received } from '../drivers/received.ts';
import type { Principal } from '../principal.ts';

/** How often a client is to look, in milliseconds. */
const POLL_MS = 1_000;

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/** A question of a task, as its client is asked. */
export interface InputRequest {
  readonly method: string;
  readonly params: unknown;
}

/** What a client said to a question, kept until the task goes on. */
export interface TaskAnswer {
  /** As it came; null stands for what could not be read. */
  readonly value: Json;
  /** When it came, in milliseconds since the epoch: in time is what came in time, whenever the task goes on. */
  readonly at: number;
}

/** An answer as it came. */
export const answered = (answer: unknown, at: number): TaskAnswer => ({ value: received(answer)?.value ?? null, at });

/** A JSON-RPC error. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One call that goes on without a request. */
export interface Task {
  readonly id: string;
  /** A digest of the person and client that it belongs to. */
  readonly owner: string;
  readonly name: string;
  /** The server that has the tool. */
  readonly audience: string;
  readonly arguments: unknown;
  /** True if its server was made from what its request said: it goes on only at servers that were made for its owner. */
  readonly isPersonal?: boolean;
  /** What else the call said, where a gateway passes it on (`_meta`). */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly principal: Principal | undefined;
  readonly clientId: string;
  readonly client: ClientView;
  /** What the client said of itself with the request that began it. */
  readonly envelope: unknown;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Milliseconds it lives. */
  readonly ttlMs: number;
  readonly status: TaskStatus;
  /** Counts what has been run of it, so that an outcome is taken once. */
  readonly turn: number;
  /** True if its client has `state` too, and may present it. */
  readonly isPresented?: boolean;
  /** What the handler is run again with. Absent where its first run is under way in the process `home`. */
  readonly state?: string;
  /** The process in which it is run since the request that began it. */
  readonly home?: string;
  /** As the audit names the call; absent before anything of it has left the first request. */
  readonly flow?: string;
  /** Questions that are open, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /** What has been answered of them. */
  readonly answers: Readonly<Record<string, TaskAnswer>>;
  /** Keys of the questions that had no answer when this turn began, since one of them was due. Absent before. */
  readonly without?: readonly string[];
  /** When the next question is due, in milliseconds since the epoch. */
  readonly dueAt?: number;
  /** True once its client has cancelled it, while a run of it was under way. */
  readonly isCancelled?: boolean;
  readonly result?: unknown;
  readonly error?: WireError;
  readonly statusMessage?: string;
}

/** A task in the names of jobs and in the store: nothing by which it could be asked after. */
export const keyOfId = (id: string): string => digest(id).slice(0, 22);
export const keyOf = ({ id }: Pick<Task, 'id'>): string => keyOfId(id);

/** Whom a task belongs to. */
export const ownerOf = (of: { readonly principal: string; readonly client: string }): string =>
  digest([of.principal, of.client]).slice(0, 22);

/** The name of the job for the turn that a task stands at. */
export const jobOf = (task: Pick<Task, 'id' | 'turn'>): string => `${keyOf(task)}/${task.turn}`;

/** True for a task of 2025-11-25, which the two revisions tell of in ways of their own. */
export const isOlder = ({ client }: Task): boolean => client.asks === 'push';

/** When it expires, in milliseconds since the epoch. */
export const endOf = ({ createdAt, ttlMs }: Pick<Task, 'createdAt' | 'ttlMs'>): number => createdAt + ttlMs;

export const isOver = ({ status }: Task): boolean => status !== 'working' && status !== 'input_required';

/** The questions that have no answer yet. */
export const unanswered = ({ inputRequests, answers }: Task): Readonly<Record<string, InputRequest>> =>
  Object.fromEntries(Object.entries(inputRequests).filter(([key]) => !Object.hasOwn(answers, key)));

/** The answers that this turn is run with: all, unless it began without some of them. */
export const broughtBy = ({ answers, without = [] }: Task): Task['answers'] =>
  Object.fromEntries(Object.entries(answers).filter(([key]) => !without.includes(key)));

/** True where there is something to run: an answer to every question, a deadline, or nothing to wait for. */
export const isReady = (task: Task, now: number): boolean =>
  !isOver(task) && (Object.keys(unanswered(task)).length === 0 || (task.dueAt !== undefined && now > task.dueAt));

/** What both revisions say of a task. */
function seedOf(task: Task) {
  const isAnswered = Object.keys(unanswered(task)).length === 0;
  return {
    taskId: task.id,
    status: task.status === 'input_required' && isAnswered ? 'working' : task.status,
    ...(task.statusMessage !== undefined && { statusMessage: task.statusMessage }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
  };
}

/** What a client of 2025-11-25 is told of a task (its `Task`). */
export const toldOlder = (task: Task): Record<string, unknown> => ({
  ...seedOf(task),
  ttl: task.ttlMs,
  pollInterval: POLL_MS,
});

/** What a client is told of a task, of any status. */
export function told(task: Task): Record<string, unknown> {
  const open = unanswered(task);
  const seed = seedOf(task);
  const { status } = seed;
  return {
    ...seed,
    ttlMs: task.ttlMs,
    pollIntervalMs: POLL_MS,
    ...(status === 'input_required' && { inputRequests: open }),
    ...(status === 'completed' && { result: task.result }),
    ...(status === 'failed' && { error: task.error }),
  };
}

/** What answers the call that became a task: its state without what belongs to the state (`CreateTaskResult`). */
export function created(task: Task): Record<string, unknown> {
  const { inputRequests: _, result: __, error: ___, ...seed } = told(task);
  return { resultType: 'task', ...seed };
}
