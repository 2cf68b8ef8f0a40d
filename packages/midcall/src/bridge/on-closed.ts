import type { McpServer } from '@modelcontextprotocol/server';

/** Calls `fn` when an SDK server is closed, after what was to be called before. */
export function onClosed({ server }: McpServer, fn: () => void): void {
  const { onclose } = server;
  server.onclose = () => {
    fn();
    onclose?.();
  };
}
