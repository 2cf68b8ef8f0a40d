/**
 * The SDK's servers as authors pass them. The SDK comes in two module formats, and TypeScript takes the classes of one for
 * different ones than those of the other, since they have private members. A project without `"type": "module"` has the other
 * format than this library; both work.
 */
import type { McpRequestContext } from '@modelcontextprotocol/server';

/** The SDK's `McpServer`. */
export interface AnyMcpServer {
  readonly server: AnyServer;
  registerTool(...args: never[]): unknown;
  registerPrompt(...args: never[]): unknown;
  registerResource(...args: never[]): unknown;
}

/** The SDK's `Server`. */
export interface AnyServer {
  connect(...args: never[]): unknown;
  setRequestHandler(...args: never[]): unknown;
}

/** Makes a server, as the SDK's `McpServerFactory`. */
export type AnyServerFactory = (
  context: McpRequestContext,
) => AnyMcpServer | AnyServer | Promise<AnyMcpServer | AnyServer>;
