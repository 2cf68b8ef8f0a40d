/** A host: it starts the server, calls its tool, and puts the question to you in the terminal. */
import { attach, Inbox } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const client = new Client({ name: 'my-host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const inbox = new Inbox();
const terminal = new Terminal({ input: process.stdin, output: process.stderr });
inbox.present(terminal);
attach(client, { server: { id: 'tables', origin: 'node server.mjs' }, inbox }); // before it connects

await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'] }));
const { content } = await client.callTool({ name: 'table_book', arguments: { guests: 4 } });
console.log(content[0].text);

terminal.close();
await client.close();
