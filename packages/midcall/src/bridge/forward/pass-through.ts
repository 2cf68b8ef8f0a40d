/**
 * What a bridge passes on unchanged: every request that is not a call, every answer to one, and what a host announces. The host
 * sees the capabilities of the upstream server, except those that the bridge handles itself.
 *
 * - pass-P1 A request goes to the upstream server complete, and its answer comes back complete: pages as pages, unknown members
 *   and methods included.
 * - pass-P2 Whatever is declared, or listed of a tool, works through the bridge.
 */
import { isMidcallError } from '@midcall/core/errors';
import { isForModels, isRecord, own } from '@midcall/core/json';
import type { ForwardedAnswer } from '@midcall/host';
import type { Midcall, ToolCards } from '@midcall/server';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { orSignIn, type SignInWait } from '../desk/index.ts';
import { anySchema, type HostLink, openRequest, passedExtensions, upstreamError } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';
import type { WireResult } from './outcome.ts';

type Json = Readonly<Record<string, unknown>>;

/** The capabilities that the host is told of. @param hasCard - true for a host that may read our App */
export function declare({ server }: McpServer, can: Json, subscriptions: boolean, hasCard: boolean): void {
  const { tasks: _, tools, prompts, resources, extensions: __, ...others } = can;
  const extensions = passedExtensions(can);
  const part = (declared: unknown, ownPart: Json) => isRecord(declared) && { ...declared, ...ownPart };
  const subscribe = subscriptions && isRecord(resources) && resources['subscribe'] === true;
  const declared = {
    ...others,
    // The App that shows questions is a resource.
    ...(hasCard && isRecord(tools) && { resources: {} }),
    ...(isRecord(tools) && { tools: part(tools, { listChanged: true }) }),
    ...(isRecord(prompts) && { prompts: part(prompts, { listChanged: true }) }),
    ...(isRecord(resources) && { resources: part(resources, { listChanged: true, subscribe }) }),
    ...(extensions && { extensions }),
  };
  server.registerCapabilities(declared as never);
}

/** Passes on every request that no handler is registered for. @param isOld - true for a host of 2025-11-25 */
export function passThrough(
  link: HostLink,
  session: () => UpstreamSession | Promise<UpstreamSession>,
  { clock, holdMs }: Pick<SignInWait, 'clock' | 'holdMs'>,
  isOld: boolean,
  mid?: Midcall,
): void {
  const { server } = link.server;
  const pass = async (request: { method: string; params?: unknown }, ctx: ServerContext): Promise<WireResult> => {
    const { mcpReq } = ctx;
    const { progressToken, ...meta } = (mcpReq._meta ?? {}) as Json;
    const params = isRecord(request.params) ? request.params : {};
    const { _meta: _, ...rest } = params;
    const over = link.begin(openRequest(ctx));
    try {
      const upstream = await session();
      await upstream.upstream.client();
      // The host may look for resources only because of ours.
      const none = mid && !upstream.connection.introduction?.capabilities['resources'] && noResources[request.method];
      if (none) return none;
      if (request.method === 'resources/unsubscribe' && !upstream.subscriptions.end(link, params)) return {};
      const whole = { ...meta, ...(await upstream.logsFor(link)) };
      const sent = { ...rest, ...(Object.keys(whole).length > 0 && { _meta: whole }) };
      const answering = upstream.forward(
        { method: request.method, ...(Object.keys(sent).length > 0 && { params: sent }) },
        {
          signal: mcpReq.signal,
          ...(progressToken !== undefined && {
            onProgress: (progress: Json) =>
              void mcpReq
                .notify({ method: 'notifications/progress', params: { ...progress, progressToken } } as never)
                .catch(() => {}),
          }),
        },
      );
      const server = upstream.connection.entry.id;
      const answer = await orSignIn(answering, { inbox: upstream.inbox, server, clock, holdMs });
      if (request.method === 'resources/subscribe' && 'result' in answer) upstream.subscribed(link, params);
      const result = answerOf(answer, request.method, isOld);
      return mid && request.method === 'tools/list'
        ? withCards(result, upstream, tools =>
            mid.listed(link.server, ctx, tools, name => upstream.cards.get(name) === 'yes'),
          )
        : result;
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    } finally {
      over();
    }
  };
  server.fallbackRequestHandler = pass as never;
  if (server.getCapabilities().logging) {
    server.setRequestHandler('logging/setLevel', { params: anySchema }, async (params: unknown) => {
      link.setLevel(own(params, 'level'));
      await (await session()).logsFor(link);
      return {};
    });
  }
  server.fallbackNotificationHandler = async ({ method, params }) => {
    try {
      const { connection } = await session();
      await connection.forwardNotification({ method, params: params as Json | undefined });
    } catch {
      // A server that is not there misses nothing.
    }
  };
}

/**
 * @param isOld - true for a host of 2025-11-25
 * @throws ProtocolError if the answer is an error
 */
export function answerOf(answer: ForwardedAnswer, method: string, isOld: boolean): WireResult {
  if ('error' in answer) throw upstreamError(answer.error);
  // Members that belong to the connection the request came over.
  const { resultType: _, ...result } = answer.result;
  return method === 'tools/list' ? withTasks(result, isOld) : result;
}

/**
 * A list of tools as they can be called through the bridge: each as a task or not, as the host prefers. Only 2025-11-25 has a
 * member that says so (pass-P2).
 */
function withTasks(result: WireResult, isOld: boolean): WireResult {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  return {
    ...result,
    tools: tools.map(tool => {
      if (!isRecord(tool)) return tool;
      const { execution, ...others } = tool;
      const { taskSupport: _, ...rest } = isRecord(execution) ? execution : {};
      const all = isOld ? { ...rest, taskSupport: 'optional' } : rest;
      return Object.keys(all).length > 0 ? { ...others, execution: all } : others;
    }),
  };
}

const noResources: Readonly<Record<string, WireResult>> = {
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
};

/** The address of our App. A server that asks on cards itself lists its tools with it too. */
const cardUri = 'ui://midcall/card';

/** A list of tools with our App for each that has none of its own. */
function withCards(
  result: WireResult,
  { cards }: UpstreamSession,
  listed: (tools: readonly { readonly name: string }[]) => readonly unknown[],
): WireResult {
  const { tools } = result;
  if (!Array.isArray(tools) || !tools.every(isNamed)) return result;
  for (const tool of tools) cards.set(tool.name, cardsOf(tool));
  return { ...result, tools: listed(tools) };
}

const isNamed = (tool: unknown): tool is { readonly name: string } => typeof own(tool, 'name') === 'string';

function cardsOf(tool: unknown): ToolCards {
  const uri = own(own(own(tool, '_meta'), 'ui'), 'resourceUri');
  if ((uri !== undefined && uri !== cardUri) || !isForModels(tool)) return 'own-app';
  return own(tool, 'outputSchema') === undefined ? 'yes' : 'structured';
}
