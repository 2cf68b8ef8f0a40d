/**
 * The messages of tasks (extension `io.modelcontextprotocol/tasks`), and when a call becomes one: at once where its tool says
 * so; else when it would outlive its request, because its rounds are used up or it runs long.
 */
import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { detachedOf } from '../detached.ts';
import { declaresTasks, TASKS_EXTENSION, viewClient } from '../era.ts';
import { principalKey, type Registered } from '../request.ts';
import { clientOf, principalOf } from '../requester.ts';
import { departureOf } from '../sdk-seam/request-slot.ts';
import { type ListenRequest, serveSubscriptions, type TaskSubscription } from '../sdk-seam/task-subscription.ts';
import type { CallHandler } from './task-runs.ts';
import { ownerOf, type Tasks } from './tasks.ts';
import { isInputRequired } from './turn.ts';

const params = z.looseObject({ taskId: z.string().max(200) });

/**
 * Registers what a client may say of its tasks.
 * @param server - before it is connected
 */
export function serveTasks(server: McpServer, tasks: Tasks, config: Config): void {
  server.server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  const whose = async (ctx: ServerContext): Promise<string> => {
    const client = viewClient(server, ctx);
    if (client.asks !== 'rounds') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    if (!client.tasks) throw needsTasks('This method belongs to tasks.');
    const principal = principalKey(await principalOf(ctx, config));
    return ownerOf({ principal, client: clientOf(ctx, config.keys.ephemeral) });
  };
  const known = <T>(found: T | undefined | false): T => {
    if (found) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task: its time is up, or it was never yours.');
  };
  const handle = (
    method: string,
    answer: (taskId: string, owner: string, ctx: ServerContext) => Promise<Record<string, unknown>>,
  ): void =>
    server.server.setRequestHandler(
      method as never,
      { params } as never,
      (async ({ taskId }: z.infer<typeof params>, ctx: ServerContext) =>
        answer(taskId, await whose(ctx), ctx)) as never,
    );
  handle('tasks/get', async (id, owner) => known(await tasks.get(owner, id)));
  handle('tasks/update', async (id, owner, { mcpReq }) => {
    // The SDK takes answers out of the parameters of every request, and leaves out what can be none.
    const unreadable = (mcpReq.droppedInputResponseKeys ?? []).map(key => [key, undefined]);
    const responses = { ...Object.fromEntries(unreadable), ...mcpReq.inputResponses };
    known(await tasks.update(owner, id, responses));
    return {};
  });
  handle('tasks/cancel', async (id, owner) => {
    known(await tasks.cancel(owner, id));
    return {};
  });
  serveSubscriptions(server, (request, http) => subscribe(request, http, tasks, config));
}

/** The most that one request listens to. */
const MOST_LISTENED = 200;
const taskIds = z.array(z.string().max(200)).max(MOST_LISTENED);

/** Which tasks a client is told of: those that are its own. */
async function subscribe(
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
  const principal = principalKey(await principalOf(ctx, config));
  const owner = ownerOf({ principal, client: clientOf(ctx, config.keys.ephemeral) });
  const found = await Promise.all(
    [...new Set(read.data)].map(async taskId => ({ taskId, follow: await tasks.follow(owner, taskId) })),
  );
  const own = found.filter(each => each.follow);
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

const needsTasks = (why: string): Error =>
  new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `${why} Declare the extension ${TASKS_EXTENSION} with the request.`,
  );

/**
 * Lets calls become tasks.
 * @param handler - of `tools/call`, with all that the SDK does around it
 * @param registeredAs - what the author said about a tool; undefined for one that cannot ask
 */
export function callsMayBecomeTasks(
  server: McpServer,
  handler: CallHandler,
  tasks: Tasks,
  config: Config,
  registeredAs: (name: string) => Registered | undefined,
): CallHandler {
  tasks.attach(server, handler);
  return async (request, ctx) => {
    const registered = registeredAs(request.params.name);
    if (!registered || detachedOf(ctx)) return handler(request, ctx);
    const { task: mode = 'when-needed' } = registered;
    const client = viewClient(server, ctx);
    if (mode === 'required' && !client.tasks) throw needsTasks('This tool can only be called as a task.');
    if (mode === 'never' || !client.tasks) return handler(request, ctx);
    const origin = { server, ctx, request, registered };
    if (mode !== 'when-needed' && ctx.mcpReq.requestState() === undefined) return tasks.begin(origin);

    const stop = new AbortController();
    const gone = (): void => stop.abort(ctx.mcpReq.signal.reason);
    if (ctx.mcpReq.signal.aborted) gone();
    ctx.mcpReq.signal.addEventListener('abort', gone, { once: true });
    const own = { ...ctx, mcpReq: { ...ctx.mcpReq, signal: stop.signal } } as ServerContext;
    const work = handler(request, own).then(
      result => ({ result }),
      (error: unknown) => ({ error }),
    );
    const outcome = await before(work, config.taskAfterMs, config.timer);
    ctx.mcpReq.signal.removeEventListener('abort', gone);
    if (outcome === undefined) return tasks.adoptRunning({ ...origin, ctx: own }, work, stop);
    if ('error' in outcome) throw outcome.error;
    const usedUp = (departureOf(own)?.round ?? 0) > config.maxRounds;
    if (!usedUp || !isInputRequired(outcome.result)) return outcome.result;
    return tasks.adopt({ ...origin, ctx: own }, outcome.result);
  };
}

/** @returns what a promise resolves to, or undefined where that takes longer */
async function before<T>(work: Promise<T>, ms: number, timer: Config['timer']): Promise<T | undefined> {
  let stop = (): void => {};
  const late = new Promise<undefined>(resolve => {
    stop = timer(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}
