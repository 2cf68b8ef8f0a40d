/**
 * The members of the SDK's servers that are not public, and that are needed all the same. Each is tested in
 * test/server/sdk-seam/sdk-seam.test.ts.
 */
import type { McpServer, MessageExtraInfo, RegisteredTool, ServerContext } from '@modelcontextprotocol/server';
import { hasRounds } from '../base/index.ts';

/** How a server introduces itself. */
export const serverInfoOf = ({ server }: McpServer): { readonly name?: string } | undefined => server['_serverInfo'];

/** The name of a server; an empty string if it has none. */
export const nameOf = (server: McpServer): string => String(serverInfoOf(server)?.name ?? '');

/** How long clients may keep what they read, as the server's author says for all resources. */
export const cacheHintOf = ({ server }: McpServer): Readonly<Record<string, unknown>> | undefined =>
  (server as unknown as { readonly _cacheHints?: Record<string, Record<string, unknown>> })._cacheHints?.[
    'resources/read'
  ];

/** What a handler is given besides its request, as the server's class makes it. */
export const contextOf = ({ server }: McpServer, base: object, extra: MessageExtraInfo | undefined): ServerContext =>
  server['buildContext'](base as never, extra);

/**
 * The arguments of a tool, as its schema reads them, within the limit of the server.
 * @throws ProtocolError if they do not fit
 */
export const readToolArguments = (
  server: McpServer,
  tool: RegisteredTool,
  args: unknown,
  name: string,
): Promise<unknown> => server['validateToolInput'](tool, args as never, name);

/** Whether the client of a server gets questions in results; false while its revision is not known. */
export function servesRounds({ server }: McpServer): boolean {
  const revision = server.getNegotiatedProtocolVersion();
  return revision !== undefined && hasRounds(revision);
}
