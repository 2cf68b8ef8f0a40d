/** The server that a host meets if its upstream server is not available: it answers every request with the reason. */
import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const methods = [
  'initialize',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

/**
 * On 2026-07-28 the SDK answers `server/discover` itself, so every capability is declared here, and refused when it is used.
 * @param message - told to the host with every request, those that open a session among them
 */
export function refusingServer(message: string): McpServer {
  const refusing = new McpServer(
    { name: 'midcall-bridge', version: '0' },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: message },
  );
  for (const method of methods) {
    refusing.server.setRequestHandler(method as 'ping', () => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    });
  }
  return refusing;
}
