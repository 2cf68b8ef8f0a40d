/** Every message between an SDK server and its host, changed on its way. The SDK has no hook for it: both ends are wrapped. */
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';

/** What becomes of messages on their way. */
export interface AroundMessages {
  /** A message of the server, as the host is to have it. */
  readonly outgoing: (message: JSONRPCMessage) => JSONRPCMessage;
  /**
   * A message of the host, as the server is to have it; undefined keeps it from the server.
   * @param send - sends a message to the host that `outgoing` does not see
   */
  readonly incoming: (
    message: JSONRPCMessage,
    send: (message: JSONRPCMessage) => Promise<void>,
  ) => JSONRPCMessage | undefined;
}

type Send = Transport['send'];
type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

/** Wraps every transport that the server is connected to from now on. */
export function aroundMessages({ server }: McpServer, { outgoing, incoming }: AroundMessages): void {
  const connect = server.connect.bind(server);
  server.connect = async transport => {
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, ...options: Rest<Parameters<Send>>) =>
      send(outgoing(message), ...options);
    await connect(transport);
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const passed = incoming(message, send);
      if (passed) receive?.(passed, extra);
    };
  };
}
