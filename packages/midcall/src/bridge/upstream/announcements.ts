/** Passes on to the hosts what the upstream server announces unasked. */
import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { HostLink } from '../link/index.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Announcements that concern the connection itself, and not its hosts. */
const ofConnection = /^notifications\/(subscriptions\/|tasks)/;

/** Passes announcements on; called for each start of the upstream server. */
export function passAnnouncements(
  client: Client,
  links: ReadonlySet<HostLink>,
  subscriptions: Pick<Subscriptions<HostLink>, 'wants'>,
): void {
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (ofConnection.test(method)) return;
    const notification = { method, ...(params && { params }) };
    for (const link of links) {
      if (method === 'notifications/message') link.log(notification);
      else if (method === 'notifications/resources/updated') {
        if (subscriptions.wants(link, params)) link.announce(notification);
      } else link.tell(notification);
    }
  };
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const [link, other] = links;
    // The wire does not say which host it is meant for; and where directories are passed on, they are never asked for here.
    if (!link || other || method === 'roots/list')
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    return link.request({ method, ...(params && { params }) }, mcpReq.signal);
  };
}

/** Tells a client of 2025-11-25 that a page it opened is finished. */
export function passCompletion(elicitationId: string, links: ReadonlySet<HostLink>): void {
  for (const link of links) {
    if (!link.server.server.getClientCapabilities()?.elicitation?.url) continue;
    link.announce({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  }
}
