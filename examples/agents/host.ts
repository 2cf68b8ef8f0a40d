/** The host side of every agent here: a server's tools, and the person at the terminal. */
// #region host
import { join } from 'node:path';
import { agentTools, Connection, type Era, Inbox, storeFile } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';

const env = { MIDCALL_KEY: process.env['MIDCALL_KEY'] ?? '' }; // the server's: so that it knows its calls after a restart
const target = { kind: 'command', command: 'node', args: ['examples/start/server.mjs'], env } as const;

export async function openHost(folder: string, era: 'auto' | Era = 'auto') {
  const [inbox, store] = [new Inbox(), storeFile(join(folder, 'calls.json'))];
  const terminal = new Terminal({ input: process.stdin, output: process.stderr });
  const connection = new Connection(
    { id: 'tables', target },
    { client: { name: 'agent', version: '1.0.0' }, inbox, store, era },
  );
  await connection.start();
  return { connection, inbox, terminal, tools: await agentTools(connection) };
}
// #endregion

export async function closeHost({
  connection,
  terminal,
}: Pick<Awaited<ReturnType<typeof openHost>>, 'connection' | 'terminal'>) {
  terminal.close();
  await connection.stop();
}
