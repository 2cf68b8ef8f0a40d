/**
 * The messages of tasks (extension `io.modelcontextprotocol/tasks`), and how a call becomes one: at once if its tool says so;
 * otherwise when it would outlive its request, because it waits for an inbox, its rounds are used up or it runs long. Loaded with the first of them.
 */
import { isMidcallError } from '@midcall/core/errors';
import { inTime, onAbort } from '@midcall/core/time';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { hasTaskParameter } from '../base/index.ts';
import { withSteps } from '../eras/index.ts';
import {
  type Config,
  clientOf,
  declaresTasks,
  hasServerLater,
  principalKey,
  principalOf,
  type Registered,
  unread,
  viewClient,
} from '../request/index.ts';
import { departureOf, type ListenRequest, type TaskSubscription } from '../sdk-seam/index.ts';
import { cancel2025Task, get2025Task, list2025Tasks, notify2025, owner2025, result2025 } from './serve-2025-tasks.ts';
import { ownerOf, shownTo2025, unanswered } from './task.ts';
import { needsTasks, type TaskMethod, unknownTask } from './task-methods.ts';
import type { CallHandler, CallToolRequest } from './task-servers.ts';
import type { Tasks } from './tasks.ts';
import { isInputRequired } from './turn.ts';

const params = z.looseObject({ taskId: z.string().max(200) });
const anyParams = z.looseObject({ cursor: z.unknown().optional() });
/** The parameter `task` of a call (2025-11-25, `TaskMetadata`). */
const taskParameter = z.looseObject({ ttl: z.number().int().positive().optional() });

/** Answers a message of a client about its tasks, or a call of a client that has them. */
export interface TaskRequests {
  /** The handler of each message about tasks, by its method. */
  readonly messages: Readonly<Record<TaskMethod, (params: unknown, ctx: ServerContext) => Promise<unknown>>>;
  subscribe(request: ListenRequest, http: ServerContext['http']): Promise<TaskSubscription>;
}

/** The messages of one server. */
export function taskRequests(server: McpServer, tasks: Tasks, config: Config): TaskRequests {
  const whose = async (ctx: ServerContext): Promise<string> => {
    const client = viewClient(server, ctx);
    if (client.asks !== 'rounds') throw unknownMethod();
    if (!client.tasks) throw needsTasks('This method belongs to tasks.');
    return ownerBehind(server, ctx, tasks, config);
  };
  const ownerOf2025Request = async (ctx: ServerContext): Promise<string> => {
    if (viewClient(server, ctx).asks !== 'push' || !hasTaskParameter(server.server.getNegotiatedProtocolVersion()))
      throw unknownMethod();
    const owner = await owner2025Of(ctx, config);
    tasks.serve(owner, server, ctx);
    return owner;
  };
  const existing = <T>(value: T | undefined | false): T => {
    if (value) return value;
    throw unknownTask();
  };
  type Answer = (taskId: string, owner: string, ctx: ServerContext) => Promise<Record<string, unknown>>;
  const reading =
    <P>(method: TaskMethod, schema: z.ZodType<P>, answer: (params: P, ctx: ServerContext) => Promise<unknown>) =>
    (sent: unknown, ctx: ServerContext): Promise<unknown> =>
      reported(config, async () => {
        const read = schema.safeParse(sent);
        if (read.success) return answer(read.data, ctx);
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Invalid params for ${method}: ${z.prettifyError(read.error)}`,
        );
      });
  /** @param answer2025 - the answer on 2025-11-25 */
  const ofTask = (method: TaskMethod, answer: Answer | undefined, answer2025?: Answer) =>
    reading(method, params, async ({ taskId }, ctx) => {
      if (answer2025 && (!answer || viewClient(server, ctx).asks === 'push'))
        return answer2025(taskId, await ownerOf2025Request(ctx), ctx);
      return answer!(taskId, await whose(ctx), ctx);
    });
  return {
    messages: {
      'tasks/get': ofTask(
        'tasks/get',
        async (id, owner) => existing(await tasks.get(owner, id)),
        (id, owner) => get2025Task(tasks, owner, id),
      ),
      'tasks/result': ofTask('tasks/result', undefined, (id, owner, ctx) =>
        result2025(tasks, owner, id, { server, ctx }),
      ),
      'tasks/list': reading('tasks/list', anyParams, async ({ cursor }, ctx) =>
        list2025Tasks(tasks, await ownerOf2025Request(ctx), cursor),
      ),
      'tasks/update': ofTask('tasks/update', async (id, owner, { mcpReq }) => {
        if (!mcpReq.inputResponses) throw noResponses();
        // The SDK removes answers from the parameters of every request, and drops what cannot be one.
        const dropped = mcpReq.droppedInputResponseKeys ?? [];
        if (dropped.length > 0) {
          const open = unanswered(existing(await tasks.find(owner, id)));
          const malformed = dropped.find(key => Object.hasOwn(open, key));
          if (malformed !== undefined) throw malformedResponse(malformed);
        }
        existing(await tasks.update(owner, id, mcpReq.inputResponses));
        return {};
      }),
      'tasks/cancel': ofTask(
        'tasks/cancel',
        async (id, owner) => {
          existing(await tasks.cancel(owner, id));
          return {};
        },
        (id, owner) => cancel2025Task(tasks, owner, id),
      ),
    },
    subscribe: (request, http) => reported(config, () => subscribe(server, request, http, tasks, config)),
  };
}

const storeIsAway = 'The server cannot reach its store at the moment. Your tasks are still there: try again.';
const storeIsDamaged =
  'The server cannot read its store, which is damaged. Trying again does not help: whoever runs it has to restore it.';

/**
 * Answers a client, and reports a failure to the operator.
 * @param instead - what the client is told in place of a store's own words, which may reveal what no client should know
 */
async function reported<T>(config: Config, answer: () => Promise<T>, instead = storeIsAway): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    config.onError(error, unread({}, 'tools/call'));
    if (isMidcallError(error) && !error.code.startsWith('store/')) throw error;
    const isDamaged = isMidcallError(error, 'store/corrupt');
    throw new ProtocolError(ProtocolErrorCode.InternalError, isDamaged ? storeIsDamaged : instead);
  }
}

/** The maximum number of tasks that one request listens to. */
const MOST_LISTENED = 200;
const taskIds = z.array(z.string().max(200)).max(MOST_LISTENED);

/** Selects the tasks that a client is notified of: its own. */
async function subscribe(
  server: McpServer,
  { id, params: { _meta, notifications } = {} }: ListenRequest,
  http: ServerContext['http'],
  tasks: Tasks,
  config: Config,
): Promise<TaskSubscription> {
  if (!declaresTasks(_meta)) throw needsTasks('Only clients with tasks are told of them.');
  const read = taskIds.safeParse(notifications?.taskIds);
  if (!read.success) {
    const text = `taskIds must be a list of at most ${MOST_LISTENED} task ids.`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  }
  const { signal } = new AbortController();
  const mcpReq = { id, method: 'subscriptions/listen', envelope: _meta, signal };
  const ctx = { mcpReq, ...(http && { http }) } as unknown as ServerContext;
  const owner = await ownerBehind(server, ctx, tasks, config);
  const followed = await Promise.all(
    [...new Set(read.data)].map(async taskId => ({ taskId, follow: await tasks.follow(owner, taskId) })),
  );
  const own = followed.filter(each => each.follow);
  return {
    taskIds: own.map(({ taskId }) => taskId),
    start(tell) {
      const stops = own.map(({ follow }) => follow!(tell));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

const ofNobody =
  'midcall: calls do not become tasks here: the factory reads the request it makes a server for, so a task could continue only on a ' +
  'server made for the same person, and nobody knows who that is. Give midcall() the option principal, or do not read the request.';

const notBegun = 'The server cannot reach its store at the moment, so this call has not begun. Try again.';

const noResponses = (): Error =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'tasks/update needs inputResponses: an object with the answers, by the keys of the inputRequests of the task. No answer was taken.',
  );

/** @param key - of a question, which is the server's own text */
const malformedResponse = (key: string): Error =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `inputResponses.${key} must be the result that answers the request '${key}' itself, such as {"action":"decline"}: an object ` +
      'without a member method or result around it. No answer of this update was taken.',
  );

const unknownMethod = (): Error => new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');

/** The owner of the tasks that a request of 2026-07-28 can be about; they can continue at its server. */
async function ownerBehind(server: McpServer, ctx: ServerContext, tasks: Tasks, config: Config): Promise<string> {
  const principal = principalKey(await principalOf(ctx, config));
  const owner = ownerOf({ principal, client: clientOf(ctx, config.keys.ephemeral) });
  tasks.serve(owner, server, ctx);
  return owner;
}

async function owner2025Of(ctx: ServerContext, config: Config): Promise<string> {
  const principal = principalKey(await principalOf(ctx, config));
  return owner2025(principal, clientOf(ctx, config.keys.ephemeral), ctx);
}

/** Calls of one server that may become tasks. */
export interface CallsAsTasks {
  /** A call of 2025-11-25 with the parameter `task`, or of a tool that requires it. */
  callAs2025(
    request: CallToolRequest,
    ctx: ServerContext,
    taskParam: unknown,
    registered: Registered | undefined,
  ): Promise<unknown>;
  /** A call of a client with tasks. */
  asTask(request: CallToolRequest, ctx: ServerContext, registered: Registered): Promise<unknown>;
  /** The same at a server that was made for its request. */
  ofSomebody(request: CallToolRequest, ctx: ServerContext, registered: Registered): Promise<unknown>;
}

/** @param handler - answers `tools/call`, whether a client or the server itself makes the request */
export function callsAsTasks(server: McpServer, handler: CallHandler, tasks: Tasks, config: Config): CallsAsTasks {
  const callAs2025 = async (
    request: CallToolRequest,
    ctx: ServerContext,
    taskParam: unknown,
    registered: Registered | undefined,
  ) => {
    const { task: _, ...params } = request.params;
    const answered = await call2025({ server, ctx, params, taskParam, registered, tasks, config });
    return answered ?? handler(request, ctx);
  };
  const watched = async (request: CallToolRequest, ctx: ServerContext, registered: Registered) => {
    const origin = { server, ctx, request, registered };
    const receivedAt = config.clock.now();
    const stop = new AbortController();
    const { signal } = ctx.mcpReq;
    const unwatch = onAbort(signal, () => stop.abort(signal.reason));
    const linked = { ...ctx, mcpReq: { ...ctx.mcpReq, signal: stop.signal } };
    const work = handler(request, linked).then(
      result => ({ result }),
      (error: unknown) => ({ error }),
    );
    try {
      const own = { ...origin, ctx: linked };
      let outcome = await inTime(work, config.taskAfterMs, config.clock);
      // An abandoned call ends by itself; nobody would know of its task.
      const adopting = outcome || stop.signal.aborted ? undefined : tasks.adoptRunning(own, work, stop, receivedAt);
      const task = await adopting?.catch(afterWork);
      if (task) return task;
      outcome ??= await work;
      if ('error' in outcome) throw outcome.error;
      const { round = 0, waitsFor } = departureOf(linked) ?? {};
      const outlives = round > config.maxRounds || waitsFor !== undefined;
      if (!outlives || !isInputRequired(outcome.result)) return outcome.result;
      return await tasks.adopt(own, outcome.result).catch(afterWork);
    } finally {
      unwatch();
    }
  };
  const asTask = (request: CallToolRequest, ctx: ServerContext, registered: Registered): Promise<unknown> => {
    const atOnce = (registered.task ?? 'when-needed') !== 'when-needed' || config.taskAfterMs === 0;
    if (atOnce && ctx.mcpReq.requestState() === undefined)
      return reported(config, () => tasks.begin({ server, ctx, request, registered }), notBegun);
    return watched(request, ctx, registered);
  };
  const ofSomebody = async (request: CallToolRequest, ctx: ServerContext, registered: Registered) => {
    const principal = await reported(config, () => principalOf(ctx, config));
    if (hasServerLater({ server, ctx, principal, registered })) return asTask(request, ctx, registered);
    config.warnOnce('tasks of nobody', ofNobody);
    if (registered.task === 'required') throw new ProtocolError(ProtocolErrorCode.InternalError, ofNobody);
    return handler(request, ctx);
  };
  return { callAs2025, asTask, ofSomebody };
}

/** A call of 2025-11-25. @returns its answer if the client wants a task; undefined if it is an ordinary call */
async function call2025({
  server,
  ctx,
  params,
  taskParam,
  registered,
  tasks,
  config,
}: {
  readonly server: McpServer;
  readonly ctx: ServerContext;
  readonly params: CallToolRequest['params'];
  readonly taskParam: unknown;
  readonly registered: Registered | undefined;
  readonly tasks: Tasks;
  readonly config: Config;
}): Promise<Record<string, unknown> | undefined> {
  const mode = registered?.task ?? (registered ? 'when-needed' : 'never');
  if (taskParam === undefined) {
    if (mode !== 'required') return undefined;
    const text = 'This tool can only be called as a task: call it with the parameter task.';
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, text);
  }
  // A server without tasks ignores the parameter.
  if (!('tasks' in server.server.getCapabilities())) return undefined;
  if (mode === 'never' || !registered) {
    const text = 'This tool cannot be called as a task: call it without the parameter task.';
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, text);
  }
  const read = taskParameter.safeParse(taskParam);
  if (!read.success) {
    const text = 'task must be an object, and its ttl a whole number of milliseconds.';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  }
  const principal = await reported(config, () => principalOf(ctx, config));
  if (!hasServerLater({ server, ctx, principal, registered })) {
    config.warnOnce('tasks of nobody', ofNobody);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, ofNobody);
  }
  const owner = await owner2025Of(ctx, config);
  const request = { method: 'tools/call', params } as const;
  const begin = () => tasks.begin2025({ server, ctx, request, registered }, owner, read.data.ttl);
  const task = await reported(config, begin, notBegun);
  notify2025(tasks, server, task);
  return { task: shownTo2025(task) };
}

/** What a call that was under way is told if it cannot become a task. */
const afterWork = (error: unknown): never => {
  throw withSteps(error, [], { done: [], inDoubt: [] }, false);
};
