/** Tells a server that the folders have changed, past the SDK. */
import type { Client } from '@modelcontextprotocol/client';

/**
 * Not by the SDK's own method, which sends only if `listChanged` was registered, and that is not true of every revision
 * the client may negotiate. Nothing is sent before the handshake or after the end; a failure is not told.
 */
export async function sendRootsChanged(client: Client): Promise<void> {
  const { transport } = client;
  if (!transport || client.getNegotiatedProtocolVersion() === undefined) return;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }).catch(() => {});
}
