/**
 * The SDK server that faces one host, or one request of it. It describes itself as the upstream server does, passes requests
 * on, and forwards calls.
 *
 * While the upstream server waits for the person to sign in, nothing is known of it. So a pending server declares everything; each
 * request waits for the sign-in, and the host reads every list again afterwards.
 */
import { isRecord, jsonLoss, partsAside } from '@midcall/core/json';
import type { CallRequest } from '@midcall/host';
import type { Call, GatewayCall, Handled, Midcall, ToolCards } from '@midcall/server';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { HostLink, passWhole, restOf } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';
import { type ForwardOptions, forward } from './forward.ts';
import type { WireResult } from './outcome.ts';
import { answerOf, declare, passThrough } from './pass-through.ts';

/** What the server that faces a host needs. */
export interface HostServerOptions {
  readonly era: Parameters<McpServerFactory>[0]['era'];
  readonly mid: Midcall;
  /** The upstream server that this host uses now. */
  readonly session: () => UpstreamSession;
  /** The upstream server that runs a call: the one that was told of this host's roots. */
  readonly sessionFor: (call: Call) => Promise<UpstreamSession>;
  readonly forward: Omit<ForwardOptions, 'session' | 'link'>;
}

const kinds = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;

/**
 * @returns the connection to the host; its server must still be connected
 * @throws MidcallError `host/not-found` or `host/server-gone` if the upstream server is not there
 */
export async function hostServer(options: HostServerOptions): Promise<HostLink> {
  const { era, mid, session, sessionFor } = options;
  await session().upstream.client();
  const { introduction, server: about } = session().connection;
  const { capabilities: can, serverInfo } = introduction!;
  const { name, version, instructions, era: upstreamEra } = about!;
  const isOld = era === 'legacy';
  const server = new McpServer({ ...serverInfo, name, version }, instructions === undefined ? {} : { instructions });
  const link = new HostLink(server, !isOld);
  passWhole(server, isOld);
  declare(server, can, isOld && upstreamEra === '2025-11-25', session().showsApps);
  forwardCalls(link, mid, can, options.forward, sessionFor, name => session().cards.get(name) ?? 'own-app');
  passThrough(link, session, options.forward, isOld, mid);
  return link;
}

/** Forwards the calls that a server declares. */
function forwardCalls(
  link: HostLink,
  mid: Midcall,
  can: Readonly<Record<string, unknown>>,
  how: HostServerOptions['forward'],
  sessionFor: HostServerOptions['sessionFor'],
  cards?: (tool: string) => ToolCards,
): void {
  const { server } = link;
  for (const [method, kind] of Object.entries(kinds) as [keyof typeof kinds, CallRequest['kind']][]) {
    if (!can[`${kind}s`]) continue;
    const answer = async ({ params, ctx }: Handled, call: GatewayCall): Promise<WireResult> => {
      const { name, uri, arguments: args } = params as { name?: string; uri?: string; arguments?: object };
      const request = { kind, name: name ?? uri ?? '', arguments: { ...args }, rest: restOf(params) };
      const result = await forward(request, call, ctx, { ...how, link, session: () => sessionFor(call) });
      return partsAside(kind === 'tool' ? projected(server, withinJson(result)) : withinJson(result));
    };
    mid.handle<WireResult>(server, method, answer, {
      task: kind === 'tool' ? 'when-needed' : 'never',
      ...(kind === 'tool' && cards && { cards }),
    });
  }
}

/** On 2025-11-25, structured content must be an object. The SDK reads the blocks beside it, which may be anything. */
function projected({ server }: McpServer, result: WireResult): WireResult {
  const { content = [] } = result;
  if (!Array.isArray(content) || !content.every(isRecord)) return result;
  return server.projectCallToolResult(result as never, undefined) as WireResult;
}

/** A number that is too large to be read is infinite; JSON has null for that, which is all that is left of it. */
const withinJson = (result: WireResult): WireResult =>
  jsonLoss(result) ? (JSON.parse(JSON.stringify(result)) as WireResult) : result;

/** What a pending server needs. */
export interface PendingServerOptions extends Pick<HostServerOptions, 'sessionFor' | 'forward'> {
  /** True for a host on 2025-11-25. */
  readonly isOld: boolean;
  readonly mid: Midcall;
  /** The name the person gave the upstream server. */
  readonly name: string;
  /**
   * Resolves with the upstream server when it is ready.
   * @throws ProtocolError if the person has not signed in by then; MidcallError `host/not-found` if it could not be started
   */
  readonly ready: () => Promise<UpstreamSession>;
}

const lists = {
  'tools/list': ['tools', 'tools'],
  'prompts/list': ['prompts', 'prompts'],
  'resources/list': ['resources', 'resources'],
  'resources/templates/list': ['resources', 'resourceTemplates'],
} as const;

const can = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } };

/** @returns the connection to the host, which must be told of changed lists once the upstream server is ready */
export function pendingServer({ isOld, mid, name, ready, sessionFor, forward }: PendingServerOptions): HostLink {
  const server = new McpServer({ name, version: '0' });
  const link = new HostLink(server, !isOld);
  server.server.registerCapabilities(can);
  passWhole(server, isOld);
  for (const [method, [capability, member]] of Object.entries(lists)) {
    server.server.setRequestHandler(
      method as 'ping',
      (async ({ params }: { params?: Readonly<Record<string, unknown>> }): Promise<WireResult> => {
        const session = await ready();
        const client = await session.upstream.client();
        if (!client.getServerCapabilities()?.[capability]) return { [member]: [] };
        const { _meta: _, ...rest } = params ?? {};
        return answerOf(await session.forward({ method, params: rest }), method, isOld);
      }) as never,
    );
  }
  forwardCalls(link, mid, can, forward, sessionFor);
  passThrough(link, ready, forward, isOld);
  return link;
}
