/**
 * The side that faces the host: one SDK server for the connection of the host (and one for a probe before it), which says
 * of itself what the upstream server says, and forwards the calls.
 */

import type { CallRequest } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { type ForwardOptions, forward } from './forward.ts';
import type { HostRoots } from './host-roots.ts';
import type { WireResult } from './outcome.ts';
import { passAnnouncements, passCompletion, passListChanges, passThrough } from './pass-through.ts';
import type { Upstream } from './upstream.ts';

/** What the servers that face the host are made of. */
export interface HostServersOptions {
  readonly upstream: Upstream;
  readonly mid: Midcall;
  readonly forward: ForwardOptions;
  /** Where the host's roots are passed on. */
  readonly hostRoots: HostRoots | undefined;
}

const kinds = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;

/** @returns `factory`: makes one; `close`: passes nothing on any more */
export function hostServers(parts: HostServersOptions): { readonly factory: McpServerFactory; close(): void } {
  const { upstream, mid, hostRoots } = parts;
  const { connection } = upstream;
  const servers = new Set<McpServer>();
  const listen = (): void => void (connection.client && passAnnouncements(connection.client, servers));
  listen();
  const stopListening = connection.subscribe(event => {
    if (event.type === 'state' && event.state === 'ready') listen();
    if (event.type === 'page-completed' && parts.forward.pagesAtHost.delete(event.elicitationId))
      passCompletion(event.elicitationId, servers);
    if (event.type === 'catalogue-changed') passListChanges(connection.client?.getServerCapabilities() ?? {}, servers);
  });
  return {
    async factory({ era }) {
      const can = (await upstream.client()).getServerCapabilities() ?? {};
      const { name, version, title, instructions, era: upstreamEra } = connection.server!;
      const hostServer = new McpServer(
        { name, version, ...(title !== undefined && { title }) },
        instructions === undefined ? {} : { instructions },
      );
      passThrough(hostServer, can, () => upstream.client(), era === 'legacy' && upstreamEra === '2025-11-25');
      for (const [method, kind] of Object.entries(kinds) as [keyof typeof kinds, CallRequest['kind']][]) {
        if (!can[`${kind}s`]) continue;
        mid.handle<WireResult>(hostServer, method, ({ params, ctx }, call) => {
          const { name, uri, arguments: given } = params as { name?: string; uri?: string; arguments?: object };
          return forward({ kind, name: name ?? uri ?? '', arguments: { ...given } }, call, ctx, parts.forward);
        });
      }
      if (era === 'legacy') hostRoots?.follow(hostServer);
      servers.add(hostServer);
      const { onclose } = hostServer.server;
      hostServer.server.onclose = () => {
        servers.delete(hostServer);
        onclose?.();
      };
      return hostServer;
    },
    close: stopListening,
  };
}
