/**
 * What a bridge passes on as it is: lists, completion, log level, subscriptions, and what the server behind announces. Only
 * what it declares is declared in front.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import type { WireResult } from './outcome.ts';

type Capabilities = NonNullable<ReturnType<Client['getServerCapabilities']>>;

/**
 * Declares in front what is offered behind, and registers its handlers.
 * @param behind - the client of the server behind, while that runs
 * @param subscriptions - whether both sides speak 2025-11-25, where a resource is subscribed to by a request of its own
 */
export function passThrough(
  { server }: McpServer,
  can: Capabilities,
  behind: () => Promise<Client>,
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
      (async (request: { params?: unknown }) => plain(await send(await behind(), request.params as never))) as never,
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

/** Tells the clients in front what the server behind announces by itself; for each start of it. */
export function passAnnouncements(client: Client, fronts: ReadonlySet<McpServer>): void {
  client.setNotificationHandler('notifications/message', ({ params }) => {
    // A client that is gone, or that never asked for logs, misses nothing.
    for (const front of fronts) front.sendLoggingMessage(params).catch(() => {});
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    for (const { server } of fronts) server.sendResourceUpdated(params).catch(() => {});
  });
}

/** Tells a client of 2025-11-25 that a page it opened is finished. */
export function passCompletion(elicitationId: string, fronts: ReadonlySet<McpServer>): void {
  for (const { server } of fronts) {
    if (!server.getClientCapabilities()?.elicitation?.url) continue;
    server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => {});
  }
}

/** Tells the clients in front to read the lists again. */
export function passListChanges(can: Capabilities, fronts: ReadonlySet<McpServer>): void {
  for (const { server } of fronts) {
    if (can.tools) server.sendToolListChanged().catch(() => {});
    if (can.prompts) server.sendPromptListChanged().catch(() => {});
    if (can.resources) server.sendResourceListChanged().catch(() => {});
  }
}

/** A result without what belongs to the connection it came over. */
function plain({ resultType: _, ...result }: WireResult): WireResult {
  return result;
}
