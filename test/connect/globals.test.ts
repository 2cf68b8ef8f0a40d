/** Whatever serves pages and endpoints leaves the platform's own objects alone: an application and its other libraries use them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@midcall/core/time';
import { Audit, Connection, Inbox, machineDisk, OfferedRoots, Policy } from '@midcall/host';
import { startDesk } from '@midcall/host/web';
import { connect } from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { PageServer } from '../../packages/server/src/connect/page-server.ts';
import { noClient } from '../web/stage.ts';

const ofThePlatform = () => ({ ...Object.getOwnPropertyDescriptors(globalThis) });

it.each([
  [
    'an endpoint and pages',
    async () => {
      const pages = connect({ name: 'Notes', baseUrl: 'http://localhost/connect' });
      const endpoint = mcpEndpoint(() => new McpServer({ name: 'notes', version: '1.0.0' }), {
        elsewhere: pages.fetch,
      });
      const handle = nodeHandler(endpoint);
      const server = createServer((req, res) => void (req.url === '/mcp' ? handle : pages.handle)(req, res));
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close().closeAllConnections());
      const { port } = server.address() as AddressInfo;
      for (const path of ['/mcp', '/connect/x']) await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
      await endpoint.stop({ within: 0 });
    },
  ],
  [
    'a page server on loopback',
    async () => {
      const server = new PageServer({ fetch: () => new Response('a page'), clock: systemClock, port: 0 });
      onTestFinished(() => server.close());
      await (await fetch(`http://127.0.0.1:${await server.listen('', Date.now() + 60_000)}/`)).text();
    },
  ],
  [
    'a desk',
    async () => {
      const parts = {
        inbox: new Inbox(),
        policy: new Policy(),
        audit: new Audit(),
        roots: new OfferedRoots({ disk: machineDisk }),
      };
      const client = { name: 'test', version: '1.0.0' };
      const desk = await startDesk({
        ...parts,
        client: noClient(),
        connect: entry => new Connection(entry, { client, ...parts }),
      });
      onTestFinished(() => desk.stop({ within: 0 }));
      await (await fetch(desk.url)).text();
    },
  ],
])('%s: Request, Response and every other global stay as they are', async (_, serve) => {
  const before = ofThePlatform();
  await serve();
  const after = ofThePlatform();
  const changed = Object.keys(after).filter(
    name => !Object.is(after[name as never]?.['value'], before[name as never]?.['value']),
  );
  expect(changed).toEqual([]);
});
