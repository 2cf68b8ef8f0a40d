/** A task as it is stored, and as it is sent (extension `io.modelcontextprotocol/tasks`, "Tasks"). Pure. */

import { type Json, type Principal, shortDigest } from '../base/index.ts';
import { received } from '../eras/index.ts';
import type { ClientView } from '../request/index.ts';
import type { WireError } from '../sdk-seam/index.ts';
import type { StoredState } from '../state/index.ts';
import { keyOf } from './task-key.ts';

/** How often a client should poll, in milliseconds. */
const POLL_MS = 1_000;

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed';

/** A question of a task, as sent to its client. */
export interface InputRequest {
  readonly method: string;
  readonly params: unknown;
}

/** A client's answer to a question, stored until the task continues. */
export interface TaskAnswer {
  /** As received; null if it could not be read. */
  readonly value: Json;
  /** When it arrived, in milliseconds since the epoch: an answer that arrived in time counts, whenever the task continues. */
  readonly at: number;
}

/** An answer as received. */
export const answered = (answer: unknown, at: number): TaskAnswer => ({ value: received(answer)?.value ?? null, at });

/** One call that continues without a request. */
export interface Task {
  readonly id: string;
  /** A digest of the person and client that it belongs to. */
  readonly owner: string;
  readonly name: string;
  /** The server that has the tool. */
  readonly audience: string;
  /** Dropped when it is over. */
  readonly arguments: unknown;
  /** True if its server was made from its request: it continues only at servers that were made for its owner. */
  readonly isPersonal?: boolean;
  /** The call's `_meta`, if a gateway passes it on. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly principal: Principal | undefined;
  readonly clientId: string;
  readonly client: ClientView;
  /** What the client said about itself with the request that began it; dropped when it is over. */
  readonly envelope: unknown;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Its lifetime in milliseconds. */
  readonly ttlMs: number;
  readonly status: TaskStatus;
  /** What it has taken of its person's share of the store, in characters, until it is over. */
  readonly share?: number;
  /** Counts its turns, so that an outcome is accepted once. */
  readonly turn: number;
  /** True if its client has `state` too, and may present it. */
  readonly isPresented?: boolean;
  /** The state with which the handler is run again. Absent while its first run is in progress in the process `home`. */
  readonly state?: StoredState;
  /** The process that has run it since the request that began it. */
  readonly home?: string;
  /** The call's name in the audit; absent until its first request has sent something. */
  readonly flow?: string;
  /** Questions that are open, by key. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /** The answers to them so far. */
  readonly answers: Readonly<Record<string, TaskAnswer>>;
  /** If this turn began because a question was due: the keys of the questions without an answer at that time. */
  readonly without?: readonly string[];
  /** When the next question is due, in milliseconds since the epoch. */
  readonly dueAt?: number;
  /** True once its client has cancelled it during a run. */
  readonly isCancelled?: boolean;
  readonly result?: unknown;
  readonly error?: WireError;
  readonly statusMessage?: string;
}

/** The owner of a task. */
export const ownerOf = (of: { readonly principal: string; readonly client: string }): string =>
  shortDigest([of.principal, of.client]);

/** The name of the job for a task's present turn. */
export const jobOf = (task: Pick<Task, 'id' | 'turn'>): string => `${keyOf(task)}/${task.turn}`;

/** True for a task of 2025-11-25; the two revisions describe tasks differently. */
export const is2025Task = ({ client }: Task): boolean => client.asks === 'push';

/** When it expires, in milliseconds since the epoch. */
export const endOf = ({ createdAt, ttlMs }: Pick<Task, 'createdAt' | 'ttlMs'>): number => createdAt + ttlMs;

/** How long the work of a task may go on after its lifetime, in milliseconds, before nobody is told of it any more. */
const GRACE_MS = 60 * 60_000;
/** How long the result of such work can be fetched, in milliseconds. */
const LATE_RESULT_MS = 5 * 60_000;

/** The latest time at which anything of a task may be in the store, in milliseconds since the epoch. */
export const latestOf = (task: Pick<Task, 'createdAt' | 'ttlMs'>): number => endOf(task) + GRACE_MS + LATE_RESULT_MS;

/**
 * When a task is removed from the store, in milliseconds since the epoch: one whose work may be under way only some time after
 * its lifetime, so that the work is not done in vain.
 */
export const removedAt = (task: Task): number =>
  endOf(task) + (isOver(task) || Object.keys(unanswered(task)).length > 0 ? 0 : GRACE_MS);

/** The lifetime of a task that ends now, in milliseconds: longer than before if that is over already. */
export const lifetimeAtEnd = (task: Task, now: number): number =>
  now < endOf(task) ? task.ttlMs : now + LATE_RESULT_MS - task.createdAt;

export const isOver = ({ status }: Task): boolean => status !== 'working' && status !== 'input_required';

/** The questions that have no answer yet. */
export const unanswered = ({ inputRequests, answers }: Task): Readonly<Record<string, InputRequest>> =>
  Object.fromEntries(Object.entries(inputRequests).filter(([key]) => !Object.hasOwn(answers, key)));

/** The answers that this turn is run with: all, unless it began without some of them. */
export const broughtBy = ({ answers, without = [] }: Task): Task['answers'] =>
  Object.fromEntries(Object.entries(answers).filter(([key]) => !without.includes(key)));

/** True if there is something to run: an answer to every question, a deadline, or nothing to wait for. */
export const isReady = (task: Task, now: number): boolean =>
  !isOver(task) && (Object.keys(unanswered(task)).length === 0 || (task.dueAt !== undefined && now > task.dueAt));

/** The members of a task that both revisions have. */
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

/** A task as sent to clients of 2025-11-25 (`Task` there). */
export const shownTo2025 = (task: Task): Record<string, unknown> => ({
  ...seedOf(task),
  // There, a result that says it is an error fails the task; what it is, tasks/result says.
  ...(task.status === 'completed' &&
    (task.result as { readonly isError?: unknown }).isError === true && {
      status: 'failed',
      statusMessage: 'The tool reported an error: see its result.',
    }),
  ttl: task.ttlMs,
  pollInterval: POLL_MS,
});

/** A task as sent to its client, in any status. */
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

/** The answer to the call that became a task: its status without the data of that status (`CreateTaskResult`). */
export function created(task: Task): Record<string, unknown> {
  const { inputRequests: _, result: __, error: ___, ...seed } = told(task);
  return { resultType: 'task', ...seed };
}
