/**
 * The SDK's servers as authors pass them. The SDK comes in two module formats, and TypeScript takes the classes of one for
 * different ones than those of the other, since they have private members. A project without `"type": "module"` has the other
 * format than this library; both work.
 */
import { isRecord } from '@midcall/core/json';
import { type McpRequestContext, McpServer } from '@modelcontextprotocol/server';

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
  /** A server of SDK v1 has no such method, and cannot be served in two eras. */
  getNegotiatedProtocolVersion(): string | undefined;
}

/** Makes a server, as the SDK's `McpServerFactory`. */
export type AnyServerFactory = (
  context: McpRequestContext,
) => AnyMcpServer | AnyServer | Promise<AnyMcpServer | AnyServer>;

/**
 * Makes the SDK that serves recognize a server of its other format: it asks `instanceof McpServer`, and would take this one for the
 * `Server` inside it.
 */
export function recognize(server: AnyMcpServer): void {
  if (server instanceof McpServer) return;
  Object.defineProperty(McpServer, Symbol.hasInstance, { value: isInstance });
}

function isInstance(this: unknown, value: unknown): boolean {
  const isServer = this === McpServer && isRecord(value) && 'registerTool' in value;
  return isServer || Function.prototype[Symbol.hasInstance].call(this, value);
}
