/** Which instance of the library the handlers of a server belong to, so that whatever serves the server stops the instance too. */
import type { StopPart } from '@midcall/core/stop';
import type { McpServer, Server } from '@modelcontextprotocol/server';

/** An instance of the library, as those see it who serve its servers. */
export interface Instance extends StopPart {
  /** Those who serve its servers: the last of them to stop stops the instance. */
  readonly servedBy: Set<object>;
}

const instances = new WeakMap<McpServer | Server, Instance>();

/** Notes that a server has handlers of an instance. */
export function belongsTo(server: McpServer, instance: Instance): void {
  instances.set(server, instance);
}

/** @returns undefined for a server without handlers of ours */
export const instanceOf = (server: McpServer | Server): Instance | undefined => instances.get(server);
