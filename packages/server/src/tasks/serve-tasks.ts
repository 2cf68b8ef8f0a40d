/** Which messages and calls are tasks (extension `io.modelcontextprotocol/tasks`); ./task-requests.ts answers them. */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { hasTaskParameter } from '../base/index.ts';
import { detachedOf, isPersonal, type Registered, TASKS_EXTENSION, viewClient } from '../request/index.ts';
import { frontOf, serveSubscriptions } from '../sdk-seam/index.ts';
import { needsTasks, taskMethods } from './task-methods.ts';
import type { TaskPart } from './task-part.ts';
import type { CallHandler, CallToolRequest } from './task-servers.ts';

/** The capability by which a server announces tasks on 2025-11-25; the SDK omits it on 2026-07-28. */
const capability2025 = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

/**
 * Registers the messages by which a client manages its tasks.
 * @param server - before it is connected
 */
export function serveTasks(server: McpServer, part: TaskPart): void {
  server.server.registerCapabilities({ ...capability2025, extensions: { [TASKS_EXTENSION]: {} } });
  const requests = async () => (await part.load()).requests(server);
  for (const method of taskMethods)
    frontOf(server).take(
      method,
      () => async (params, ctx: ServerContext) => (await requests()).messages[method](params, ctx),
    );
  serveSubscriptions(server, async (request, http) => (await requests()).subscribe(request, http));
}

/** True if a call with the parameter `task` asks for a task, whichever tool it names. */
export const takesTaskParameter = (server: McpServer): boolean =>
  hasTaskParameter(server.server.getNegotiatedProtocolVersion()) && 'tasks' in server.server.getCapabilities();

/**
 * Lets calls become tasks.
 * @param handler - answers `tools/call`, whether a client or the server itself makes the request
 * @param registeredAs - what the author declared about a tool; undefined for one that cannot ask
 */
export function callsMayBecomeTasks(
  server: McpServer,
  handler: CallHandler,
  part: TaskPart,
  registeredAs: (name: string) => Registered | undefined,
): CallHandler {
  part.attach(server, handler);
  const calls = async () => (await part.load()).calls(server, handler);
  const callAs2025 = async (request: CallToolRequest, ctx: ServerContext, param: unknown, registered?: Registered) =>
    (await calls()).callAs2025(request, ctx, param, registered);
  const asTask = async (request: CallToolRequest, ctx: ServerContext, registered: Registered) => {
    const as = await calls();
    return isPersonal(server, ctx) ? as.ofSomebody(request, ctx, registered) : as.asTask(request, ctx, registered);
  };
  return async (request, ctx) => {
    const { name } = request.params ?? {};
    // A call without a name is for the SDK to refuse.
    if (typeof name !== 'string') return handler(request, ctx);
    const registered = registeredAs(name);
    if (detachedOf(ctx)) return handler(request, ctx);
    const client = viewClient(server, ctx);
    if (client.asks === 'push') {
      const taskParam = hasTaskParameter(server.server.getNegotiatedProtocolVersion())
        ? request.params.task
        : undefined;
      const asksForNoTask = taskParam === undefined && registered?.task !== 'required';
      return asksForNoTask ? handler(request, ctx) : callAs2025(request, ctx, taskParam, registered);
    }
    if (!registered) return handler(request, ctx);
    const { task: mode = 'when-needed' } = registered;
    if (mode === 'required' && !client.tasks) throw needsTasks('This tool can only be called as a task.');
    if (mode === 'never' || !client.tasks) return handler(request, ctx);
    return asTask(request, ctx, registered);
  };
}
