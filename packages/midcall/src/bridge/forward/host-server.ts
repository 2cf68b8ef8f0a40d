/**
 * The SDK server that faces one host, or one request of it. It describes itself as the upstream server does, passes requests
 * on, and forwards calls.
 */

import { blocksAside } from '@midcall/core/json';
import type { CallRequest } from '@midcall/host';
import type { Call, GatewayCall, Handled, Midcall, ToolCards } from '@midcall/server';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { HostLink, passWhole, restOf } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';
import { type ForwardOptions, forward } from './forward.ts';
import type { WireResult } from './outcome.ts';
import { declare, passThrough } from './pass-through.ts';

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
export function forwardCalls(
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
      // On 2025-11-25, structured content must be an object.
      const fits =
        kind === 'tool' ? (server.server.projectCallToolResult(result as never, undefined) as WireResult) : result;
      return blocksAside(fits);
    };
    mid.handle<WireResult>(server, method, answer, {
      task: kind === 'tool' ? 'when-needed' : 'never',
      ...(kind === 'tool' && cards && { cards }),
    });
  }
}
