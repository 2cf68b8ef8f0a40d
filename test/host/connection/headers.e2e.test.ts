/** Headers a person writes into mcp.json, such as a token: sent to that server, and shown to nobody. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection, Inbox, readServerEntries } from '@midcall/host';
import { eras } from '@midcall/testing';
import { expect, it, onTestFinished } from 'vitest';

/** A server that knows nobody, and keeps the headers it was sent. */
async function stranger() {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume().on('end', () => response.writeHead(500).end('no'));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

it.each(eras)(
  '%s: a server gets its headers with every request, filled in from the environment, and in no message',
  async era => {
    const { heard, url } = await stranger();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how mcp.json names a variable
    const headers = { Authorization: 'Bearer ${TOKEN}', 'X-Team': 'notes' };
    const text = JSON.stringify({ mcpServers: { remote: { url, headers } } });
    const [entry] = readServerEntries(text, { TOKEN: 'hush-4711' });
    const connection = new Connection(entry!, {
      client: { name: 'midcall-test', version: '1.0.0' },
      era,
      inbox: new Inbox(),
    });
    const events: unknown[] = [];
    connection.subscribe(event => events.push(event));
    const problem = await connection.start().then(
      () => '',
      (error: Error) => error.message,
    );
    expect(problem).toContain("'remote' could not be reached");
    expect(heard.length).toBeGreaterThan(0);
    for (const each of heard) expect(each).toMatchObject({ authorization: 'Bearer hush-4711', 'x-team': 'notes' });
    expect(problem + connection.origin + JSON.stringify(events)).not.toContain('hush');
  },
);
