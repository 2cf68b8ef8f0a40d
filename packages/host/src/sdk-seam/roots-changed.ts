/** Tells a server that the folders have changed, past the SDK. */
import type { Client } from '@modelcontextprotocol/client';

/**
 * Not with the SDK's own method, which sends only if `listChanged` was registered, and that does not hold in every revision
 * that the client may negotiate. Nothing is sent before the handshake or after the end; a failure is ignored.
 */
export async function sendRootsChanged(client: Client): Promise<void> {
  const { transport } = client;
  if (!transport || client.getNegotiatedProtocolVersion() === undefined) return;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }).catch(() => {});
}
