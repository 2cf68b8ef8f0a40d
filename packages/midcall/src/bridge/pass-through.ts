/**
 * What a bridge passes on as it is: lists, completion, log level, subscriptions, and what the upstream server announces. Only
 * what it declares is declared to the host.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import type { WireResult } from './outcome.ts';

type Capabilities = NonNullable<ReturnType<Client['getServerCapabilities']>>;

/**
 * Declares to the host what the upstream server offers, and registers its handlers.
 * @param upstream - the client of the upstream server, while that runs
 * @param subscriptions - whether both sides speak 2025-11-25, where a resource is subscribed to by a request of its own
 */
export function passThrough(
  { server }: McpServer,
  can: Capabilities,
  upstream: () => Promise<Client>,
  subscriptions: boolean,
): void {
  const subscribe = subscriptions && can.resources?.subscribe === true;
  server.registerCapabilities({
    ...(can.tools && { tools: { listChanged: true } }),
    ...(can.prompts && { prompts: { listChanged: true } }),
    ...(can.resources && { resources: { listChanged: true, subscribe } }),
    ...(can.completions && { completions: {} }),
    ...(can.logging && { logging: {} }),
  });
  const pass = (method: string, send: (client: Client, params: never) => Promise<WireResult>): void =>
    server.setRequestHandler(
      method as 'ping',
      (async (request: { params?: unknown }) => plain(await send(await upstream(), request.params as never))) as never,
    );
  if (can.tools) pass('tools/list', client => client.listTools());
  if (can.prompts) pass('prompts/list', client => client.listPrompts());
  if (can.resources) {
    pass('resources/list', client => client.listResources());
    pass('resources/templates/list', client => client.listResourceTemplates());
  }
  if (subscribe) {
    pass('resources/subscribe', (client, params) => client.subscribeResource(params));
    pass('resources/unsubscribe', (client, params) => client.unsubscribeResource(params));
  }
  if (can.completions) pass('completion/complete', (client, params) => client.complete(params));
  if (can.logging) pass('logging/setLevel', (client, params: { level: never }) => client.setLoggingLevel(params.level));
}

/** Tells the clients what the upstream server announces by itself; for each start of it. */
export function passAnnouncements(client: Client, servers: ReadonlySet<McpServer>): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    // A client that is gone, or that never asked for logs, misses nothing.
    for (const server of servers) server.sendLoggingMessage(params).catch(() => {});
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    for (const { server } of servers) server.sendResourceUpdated(params).catch(() => {});
  });
}

/** Tells a client of 2025-11-25 that a page it opened is finished. */
export function passCompletion(elicitationId: string, servers: ReadonlySet<McpServer>): void {
  for (const { server } of servers) {
    if (!server.getClientCapabilities()?.elicitation?.url) continue;
    server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => {});
  }
}

/** Tells the clients to read one list again. */
export function passListChange(list: 'tools' | 'prompts' | 'resources', servers: ReadonlySet<McpServer>): void {
  for (const { server } of servers) {
    const sent =
      list === 'tools'
        ? server.sendToolListChanged()
        : list === 'prompts'
          ? server.sendPromptListChanged()
          : server.sendResourceListChanged();
    sent.catch(() => {});
  }
}

/** A result without what belongs to the connection it came over. */
function plain({ resultType: _, ...result }: WireResult): WireResult {
  return result;
}
