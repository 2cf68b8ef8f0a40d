/**
 * The SDK server that faces a host while its upstream server waits for the person to sign in. Nothing is known of the upstream
 * server yet, so it declares everything; each request waits for the sign-in, and the host reads every list again afterwards.
 */
import type { Midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { HostLink, passWhole } from '../link/index.ts';
import type { UpstreamSession } from '../upstream/index.ts';
import { forwardCalls, type HostServerOptions } from './host-server.ts';
import type { WireResult } from './outcome.ts';
import { answerOf, passThrough } from './pass-through.ts';

/** What the server needs. */
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
