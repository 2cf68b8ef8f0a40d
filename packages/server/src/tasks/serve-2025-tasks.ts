/**
 * Tasks of 2025-11-25 (basic/utilities/tasks, experimental there): the client requests one with the parameter `task`, and gets
 * its questions and its result by `tasks/result`. Tasks themselves, and how they are run, are the same as on 2026-07-28.
 */
import { MidcallError } from '@midcall/core/errors';
import { afterClose } from '@midcall/core/sdk-seam';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { shortDigest } from '../base/index.ts';
import { HandedOver, type SharedCall, sharedCallOf } from '../request/index.ts';
import { requestUntil } from '../sdk-seam/index.ts';
import { type InputRequest, is2025Task, isOver, shownTo2025, type Task, unanswered } from './task.ts';
import { unknownTask } from './task-methods.ts';
import type { Tasks } from './tasks.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
/** The number of tasks in one answer of `tasks/list`. */
const PAGE = 50;

/** @returns the task of this owner. @throws ProtocolError -32602 if there is none */
async function taskOf(tasks: Tasks, owner: string, id: string): Promise<Task> {
  const task = await tasks.find(owner, id);
  if (task && is2025Task(task)) return task;
  throw unknownTask();
}

/** Answers `tasks/get`. */
export const get2025Task = async (tasks: Tasks, owner: string, id: string): Promise<Record<string, unknown>> =>
  shownTo2025(await taskOf(tasks, owner, id));

/** Ends a task, before the request is answered. */
export async function cancel2025Task(tasks: Tasks, owner: string, id: string): Promise<Record<string, unknown>> {
  if (await tasks.cancelNow(await taskOf(tasks, owner, id))) return get2025Task(tasks, owner, id);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This task is over, and cannot be cancelled.');
}

/** Answers `tasks/list`. */
export async function list2025Tasks(tasks: Tasks, owner: string, cursor: unknown): Promise<Record<string, unknown>> {
  const from = typeof cursor === 'string' ? /^p(\d{1,6})$/.exec(cursor)?.[1] : undefined;
  const skip = cursor === undefined ? 0 : Number(from ?? Number.NaN);
  if (Number.isNaN(skip)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor must be one that tasks/list gave.');
  }
  const { tasks: page, isAll } = await tasks.list(owner, skip, PAGE);
  return { tasks: page.map(shownTo2025), ...(!isAll && { nextCursor: `p${skip + PAGE}` }) };
}

/**
 * Puts the questions of a task to the client that asks for its result, and waits until there is one.
 * @param asker - the request `tasks/result`: the questions are sent on its stream
 */
export async function result2025(
  tasks: Tasks,
  owner: string,
  id: string,
  { server, ctx }: Asker,
): Promise<Record<string, unknown>> {
  const shared = sharedCallOf(server, ctx);
  const openAsks = new Map<string, AbortController>();
  const stopping = new AbortController();
  // A request of a fleet is taken over by another replica.
  const unwatch = shared ? () => {} : tasks.whenStopping(() => stopping.abort());
  // An answer that could not be stored is asked for again, with the next request for the result.
  const unstored = new AbortController();
  const over = AbortSignal.any([ctx.mcpReq.signal, stopping.signal, unstored.signal]);
  try {
    for (;;) {
      const task = await taskOf(tasks, owner, id);
      if (isOver(task)) return finalOf(task);
      const open = unanswered(task);
      // A question that was answered elsewhere, or has expired, is no longer waited for.
      for (const [key, stop] of openAsks) if (!Object.hasOwn(open, key) && openAsks.delete(key)) stop.abort();
      const changes = nextChange(tasks, task, over);
      for (const [key, request] of Object.entries(open)) {
        if (openAsks.has(key)) continue;
        const stop = new AbortController();
        openAsks.set(key, stop);
        void ask(tasks, owner, task, { key, request, server, ctx, stop, shared }).catch(error => unstored.abort(error));
      }
      await changes;
      if (ctx.mcpReq.signal.aborted)
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'The request was cancelled.');
      if (stopping.signal.aborted)
        throw new MidcallError('call/stopped', 'This server is stopping. Ask for the result of the task again later.');
      unstored.signal.throwIfAborted();
    }
  } finally {
    unwatch();
    for (const stop of openAsks.values()) stop.abort();
  }
}

/** A request for a result. */
interface Asker {
  readonly server: McpServer;
  readonly ctx: ServerContext;
}

interface Ask2025 {
  readonly key: string;
  readonly request: InputRequest;
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly stop: AbortController;
  /** Present if another process may continue the request for the result. */
  readonly shared: SharedCall | undefined;
}

/** Puts one question, as a request of the task, and stores its answer. */
async function ask(
  tasks: Tasks,
  owner: string,
  task: Task,
  { key, request, server, ctx, stop, shared }: Ask2025,
): Promise<void> {
  const sentParams = request.params as { readonly _meta?: Record<string, unknown> } | undefined;
  const params = { ...sentParams, _meta: { ...sentParams?._meta, [RELATED]: { taskId: task.id } } };
  const ask = { method: request.method, params };
  let answer: unknown;
  try {
    const signal = AbortSignal.any([stop.signal, ctx.mcpReq.signal]);
    answer = await (shared ? pushShared(shared, task, key, ask, signal) : requestUntil(signal, server, ctx, ask));
  } catch (error) {
    // The process that continues the request goes on asking it.
    if (error instanceof HandedOver) return;
    // A client that is gone, or no longer waits for the result, is asked again with its next request for it.
    if (stop.signal.aborted || ctx.mcpReq.signal.aborted) return;
  }
  await tasks.update(owner, task.id, { [key]: answer });
}

interface PushedAsk {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Puts a question under the same identity as an earlier holder of the request did, if any: it has one answer. */
async function pushShared(
  shared: SharedCall,
  task: Task,
  key: string,
  { method, params }: PushedAsk,
  signal: AbortSignal,
): Promise<unknown> {
  const question = await shared.put({ id: `${task.id} ${key}`, method, params, timeoutMs: task.ttlMs }, signal);
  const { response } = await question.answer;
  return 'result' in response ? response.result : undefined;
}

/** Resolves when a task has changed, or nobody waits for it any more. */
const nextChange = (tasks: Tasks, task: Task, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = tasks.watch(task, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** Exactly the result that the request would have had. */
function finalOf(task: Task): Record<string, unknown> {
  if (task.status === 'completed') {
    const result = task.result as { readonly _meta?: Record<string, unknown> };
    return { ...result, _meta: { ...result._meta, [RELATED]: { taskId: task.id } } };
  }
  const { code, message, data } = task.error ?? { code: -32603, message: task.statusMessage ?? 'Cancelled.' };
  throw new ProtocolError(code, message, data);
}

const followed = new WeakMap<McpServer, Set<() => void>>();

/** Notifies a client of each change of its task, for as long as it is connected. */
export function notify2025(tasks: Tasks, server: McpServer, task: Task): void {
  let stops = followed.get(server);
  if (!stops) {
    stops = new Set();
    followed.set(server, stops);
    const all = stops;
    afterClose(server.server, () => {
      for (const stop of all) stop();
    });
  }
  const own = stops;
  const stop = tasks.watch(
    task,
    now => {
      if (now) {
        const message = { method: 'notifications/tasks/status', params: shownTo2025(now) };
        void server.server.notification(message as never).catch(() => {});
      }
      if (!now || isOver(now)) end();
    },
    true,
  );
  const end = (): void => {
    stop();
    own.delete(end);
  };
  own.add(end);
}

/**
 * The owner of a task on 2025-11-25: a known person keeps it beyond the session in which it began.
 * @param principal - empty if unknown
 */
export function owner2025(principal: string, client: string, ctx: ServerContext): string {
  const lasting = JSON.stringify(['http', ctx.http?.authInfo?.clientId ?? null]);
  return shortDigest(['2025', principal, ctx.http !== undefined && principal !== '' ? lasting : client]);
}
