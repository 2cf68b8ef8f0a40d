/** The end of a server's connection, beside whoever else wants to hear of it: the SDK has room for one listener. */
import type { McpServer } from '@modelcontextprotocol/server';

/** @param closed - called after the listener that was there before */
export function whenServerCloses(server: McpServer, closed: () => void): void {
  const before = server.server.onclose;
  server.server.onclose = () => {
    before?.();
    closed();
  };
}
