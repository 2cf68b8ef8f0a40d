/** The README's host: a person in a terminal behind any SDK client. */
// #region host

import { attach, Inbox } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { Client } from '@modelcontextprotocol/client';

export function personClient() {
  const client = new Client({ name: 'my-host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const inbox = new Inbox();
  inbox.present(new Terminal({ input: process.stdin, output: process.stderr }));
  attach(client, { server: { id: 'notes', origin: 'midcall notes' }, inbox });
  return client; // connect it, and call tools: what the server asks is asked here
}
// #endregion
