/** Servers of 2025-11-25 that fail at a request they do not know, instead of saying so. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection, type Era, Inbox, urlTarget } from '@midcall/host';
import { expect, it, onTestFinished } from 'vitest';

/** @param status - of what it answers to `server/discover` */
async function failing(status: number) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
      if (method === undefined) return void response.writeHead(405).end();
      asked.push(method);
      if (method === 'server/discover') return void response.writeHead(status).end('Internal Server Error');
      if (id === undefined) return void response.writeHead(202).end();
      const serverInfo = { name: 'old', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const target = urlTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const reach = async (era?: Era): Promise<Connection> => {
    const client = { name: 'test', version: '1.0.0' };
    const connection = new Connection({ id: 'old', target }, { client, inbox: new Inbox(), ...(era && { era }) });
    onTestFinished(() => connection.stop());
    await connection.start();
    return connection;
  };
  return { asked, reach };
}

it.each([500, 501, 503])(
  'a server that fails at discovery with HTTP %d is asked in the older revision',
  async status => {
    const { asked, reach } = await failing(status);
    const connection = await reach();
    expect(connection.server).toMatchObject({ name: 'old', era: '2025-11-25' });
    // One that cannot serve now is asked once more, before another revision is tried.
    expect(asked.slice(0, 3).join()).toMatch(/^(?:server\/discover,){1,2}initialize/);
  },
);

it('a revision that the person demands is not replaced by another', async () => {
  const { asked, reach } = await failing(500);
  await expect(reach('2026-07-28')).rejects.toThrow('it failed to answer (HTTP 500)');
  expect(asked).not.toContain('initialize');
});
