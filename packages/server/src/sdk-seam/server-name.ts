/** The name a server was built with, which the SDK keeps to itself. */
import type { McpServer } from '@modelcontextprotocol/server';

/** @returns an empty string if the SDK has none */
export const nameOf = (server: McpServer): string => String(server.server['_serverInfo']?.name ?? '');
