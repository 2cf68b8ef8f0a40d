/** Runs code when a client connects: the SDK has no hook that runs before the first message. */
import type { Client, Transport } from '@modelcontextprotocol/client';

/**
 * Wraps the client's `connect`.
 * @param around - `connect` connects over that transport, as the SDK does
 */
export function aroundConnect(
  client: Client,
  around: (transport: Transport, connect: () => Promise<void>) => Promise<void>,
): void {
  const connect = client.connect.bind(client);
  client.connect = (transport, options) => around(transport, () => connect(transport, options));
}
