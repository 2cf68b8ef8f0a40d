/** The quick start's host: an SDK client with a person in the terminal behind it. */
// #region host

import { attach, Inbox } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'my-host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const inbox = new Inbox();
const terminal = new Terminal({ input: process.stdin, output: process.stderr });
inbox.present(terminal);
attach(client, { server: { id: 'tables', origin: 'node server.mjs' }, inbox }); // before it connects

await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));
const result = await client.callTool({ name: 'table_book', arguments: { guests: 4 } });
console.log(result.content[0].text);

terminal.close();
await client.close();
// #endregion
