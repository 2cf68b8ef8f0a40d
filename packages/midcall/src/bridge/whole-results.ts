/** Results that leave a server as the upstream server made them: what the SDK would refuse to send travels aside until then. */
import { blocksBack, isRecord, own } from '@midcall/core/json';
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

/** Puts back what `outcome.ts` set aside, in every result the server sends from when it is connected. */
export function sendWholeResults({ server }: McpServer): void {
  const connect = server.connect.bind(server);
  server.connect = transport => {
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, ...options: Rest<Parameters<Transport['send']>>) => {
      const result = own(message, 'result');
      return send(
        isRecord(result) ? ({ ...message, result: blocksBack(result) } as JSONRPCMessage) : message,
        ...options,
      );
    };
    return connect(transport);
  };
}
