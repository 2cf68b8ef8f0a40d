/**
 * What stands before the server behind: one SDK server for the connection of the host (and one for a probe before it), which says
 * of itself what the server behind says, and carries the calls.
 */

import type { CallRequest } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Behind } from './behind.ts';
import { type CarryParts, carry } from './carry.ts';
import type { HostRoots } from './host-roots.ts';
import type { WireResult } from './outcome.ts';
import { passAnnouncements, passCompletion, passListChanges, passThrough } from './pass-through.ts';

/** What front servers are made of. */
export interface FrontServersParts {
  readonly behind: Behind;
  readonly mid: Midcall;
  readonly carry: CarryParts;
  /** Where the host's roots are passed on. */
  readonly hostRoots: HostRoots | undefined;
}

const kinds = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;

/** @returns `factory`: makes one; `close`: passes nothing on any more */
export function frontServers(parts: FrontServersParts): { readonly factory: McpServerFactory; close(): void } {
  const { behind, mid, hostRoots } = parts;
  const { connection } = behind;
  const fronts = new Set<McpServer>();
  const listen = (): void => void (connection.client && passAnnouncements(connection.client, fronts));
  listen();
  const stopListening = connection.subscribe(event => {
    if (event.type === 'state' && event.state === 'ready') listen();
    if (event.type === 'page-completed' && parts.carry.pagesAtHost.delete(event.elicitationId))
      passCompletion(event.elicitationId, fronts);
    if (event.type === 'catalogue-changed') passListChanges(connection.client?.getServerCapabilities() ?? {}, fronts);
  });
  return {
    async factory({ era }) {
      const can = (await behind.client()).getServerCapabilities() ?? {};
      const { name, version, title, instructions, era: eraBehind } = connection.server!;
      const front = new McpServer(
        { name, version, ...(title !== undefined && { title }) },
        instructions === undefined ? {} : { instructions },
      );
      passThrough(front, can, () => behind.client(), era === 'legacy' && eraBehind === '2025-11-25');
      for (const [method, kind] of Object.entries(kinds) as [keyof typeof kinds, CallRequest['kind']][]) {
        if (!can[`${kind}s`]) continue;
        mid.handle<WireResult>(front, method, ({ params, ctx }, call) => {
          const { name, uri, arguments: given } = params as { name?: string; uri?: string; arguments?: object };
          return carry({ kind, name: name ?? uri ?? '', arguments: { ...given } }, call, ctx, parts.carry);
        });
      }
      if (era === 'legacy') hostRoots?.follow(front);
      fronts.add(front);
      const { onclose } = front.server;
      front.server.onclose = () => {
        fronts.delete(front);
        onclose?.();
      };
      return front;
    },
    close: stopListening,
  };
}
