/**
 * The SDK server that faces one host, or one request of it. It describes itself as the upstream server does, passes lists and
 * announcements on, and forwards calls.
 */

import type { CallRequest } from '@midcall/host';
import type { Call, Midcall } from '@midcall/server';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { type ForwardOptions, forward } from './forward.ts';
import type { WireResult } from './outcome.ts';
import { passThrough } from './pass-through.ts';
import type { UpstreamSession } from './upstream-session.ts';
import { sendWholeResults } from './whole-results.ts';

/** What the server that faces a host is made of. */
export interface HostServerOptions {
  readonly era: Parameters<McpServerFactory>[0]['era'];
  readonly mid: Midcall;
  /** The upstream server this host uses now. */
  readonly session: () => UpstreamSession;
  /** The upstream server that runs a call: the one that was told of the host's roots. */
  readonly sessionFor: (call: Call) => Promise<UpstreamSession>;
  readonly forward: Omit<ForwardOptions, 'session'>;
}

const kinds = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;

/** @throws MidcallError `host/not-found` or `host/server-gone` where the upstream server is not there */
export async function hostServer(options: HostServerOptions): Promise<McpServer> {
  const { era, mid, session, sessionFor } = options;
  const client = () => session().upstream.client();
  const can = (await client()).getServerCapabilities() ?? {};
  const { name, version, title, instructions, era: upstreamEra } = session().connection.server!;
  const server = new McpServer(
    { name, version, ...(title !== undefined && { title }) },
    instructions === undefined ? {} : { instructions },
  );
  sendWholeResults(server);
  passThrough(server, can, client, era === 'legacy' && upstreamEra === '2025-11-25');
  for (const [method, kind] of Object.entries(kinds) as [keyof typeof kinds, CallRequest['kind']][]) {
    if (!can[`${kind}s`]) continue;
    mid.handle<WireResult>(server, method, ({ params, ctx }, call) => {
      const { name, uri, arguments: given } = params as { name?: string; uri?: string; arguments?: object };
      const request = { kind, name: name ?? uri ?? '', arguments: { ...given } };
      return forward(request, call, ctx, { ...options.forward, session: () => sessionFor(call) });
    });
  }
  return server;
}
