/** The members of the SDK's client that it has no hooks for. Each is tested in test/host/sdk-seam/sdk-seam.test.ts. */
import type { Client, jsonSchemaValidator, Transport } from '@modelcontextprotocol/client';

/**
 * The SDK's `Client` as its users pass it. The SDK comes in two module formats, and TypeScript takes the classes of one for
 * different ones than those of the other, since they have private members. A project without `"type": "module"` has the other
 * format than this library; both work.
 */
export interface AnyClient {
  readonly transport?: object | undefined;
  connect(...args: never[]): unknown;
  callTool(...args: never[]): unknown;
}

/**
 * Runs code when a client connects, by wrapping its `connect`: the SDK has no hook that runs before the first message.
 * @param around - `connect` connects over that transport, as the SDK does
 */
export function aroundConnect(
  client: Client,
  around: (transport: Transport, connect: () => Promise<void>) => Promise<void>,
): void {
  const connect = client.connect.bind(client);
  client.connect = (transport, options) => around(transport, () => connect(transport, options));
}

/**
 * Replaces the SDK's default validator of a client, which the SDK takes at construction and stores in a private member. One that
 * the client's author chose stays.
 * @returns true if it was replaced
 */
export function replaceDefaultValidator(client: Client, validator: jsonSchemaValidator): boolean {
  const inside = client as unknown as {
    _jsonSchemaValidator?: { _userAjv?: unknown; constructor?: { name?: unknown } };
  };
  const current = inside._jsonSchemaValidator;
  if (current?.constructor?.name !== 'AjvJsonSchemaValidator' || current._userAjv === true) return false;
  inside._jsonSchemaValidator = validator as never;
  return true;
}

/**
 * Tells a server that the folders have changed. The SDK's own method would not do: it sends only if `listChanged` was registered, which does not hold in every revision
 * that the client may negotiate. Nothing is sent before the handshake or after the end; a failure is ignored.
 */
export async function sendRootsChanged(client: Client): Promise<void> {
  const { transport } = client;
  if (!transport || client.getNegotiatedProtocolVersion() === undefined) return;
  await transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }).catch(() => {});
}
