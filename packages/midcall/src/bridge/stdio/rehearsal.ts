/**
 * A handshake of the SDK with itself, in memory, while a server is starting: what the SDK builds when it is first needed, above
 * all its schemas, is there when the server answers, so that its host need not wait for that as well.
 */
import type { ConnectionOptions } from '@midcall/host';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';

const nobody = { name: 'rehearsal', version: '0' };

/**
 * Both sides speak 2025-11-25, as a host does that needs this.
 * @param era - what is negotiated with the real server; a server of 2026-07-28 is asked nothing of this
 */
export async function rehearse(era: ConnectionOptions['era'] = 'auto'): Promise<void> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new McpServer(nobody);
  server.server.registerCapabilities({ tools: { listChanged: true } });
  const client = new Client(nobody, {
    versionNegotiation: { mode: era === 'auto' ? 'auto' : 'legacy' },
    // The command is bundled without a validator, and nothing is called here.
    jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'rehearsal' }) },
  });
  await server.connect(far);
  await client.connect(near);
  await client.close();
}
