/** Runs the recipes of docs/mount.md: each is mounted as it says, and asks a client of each revision. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { SignIn } from '@midcall/server/connect';
import { nodeHandler } from '@midcall/server/node';
import { type Era, eras, negotiation, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { app as expressApp } from '../../examples/mount/express.ts';
import { app as fastifyApp } from '../../examples/mount/fastify.ts';
import { app as honoApp } from '../../examples/mount/hono.ts';
import { DELETE, GET, POST } from '../../examples/mount/next-route.ts';
import { server as plainNode } from '../../examples/mount/plain-node.ts';
import vercel from '../../examples/mount/vercel.ts';
import { paintWithPages } from '../../examples/mount/with-pages.ts';
import { startWorker } from './worker-bundle.ts';

/** Next.js gives the request of a route to the function named as its method. */
const nextRoute: Readonly<Record<string, (request: Request) => Promise<Response>>> = { DELETE, GET, POST };
const nextServer = createServer(
  getRequestListener(request => nextRoute[request.method]!(request), { overrideGlobalObjects: false }),
);
const honoServer = createServer(getRequestListener(honoApp.fetch, { overrideGlobalObjects: false }));
const recipes: readonly (readonly [string, string, () => Server | Promise<Server>])[] = [
  ['plain-node', '/mcp', () => plainNode],
  ['express', '/api/mcp', () => createServer(expressApp)],
  [
    'fastify',
    '/mcp',
    async () => {
      await fastifyApp.ready();
      return fastifyApp.server;
    },
  ],
  ['hono', '/mcp', () => honoServer],
  ['next-route', '/api/mcp', () => nextServer],
];

async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function paints(era: Era, url: URL, fetch?: typeof globalThis.fetch): Promise<string> {
  const capabilities = { elicitation: {} };
  const person = scriptedPerson([{ action: 'accept', content: { value: 'red' } }]);
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: negotiation(era) });
  person.attach(client, capabilities);
  await client.connect(new StreamableHTTPClientTransport(url, fetch && { fetch }));
  try {
    const { content } = await client.callTool({ name: 'wall_paint' });
    return (content[0] as { text: string }).text;
  } finally {
    await client.close();
  }
}

describe.each(recipes)('examples/mount/%s.ts', (_name, path, made) => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = await made();
    origin = await listening(server);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });

  it.each(eras)('a mounted endpoint asks a client of %s', async era => {
    expect(await paints(era, new URL(path, origin))).toBe('Painted 12 m red.');
  });

  it('a mounted endpoint lets no page of another site in', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
    const response = await fetch(new URL(path, origin), { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(403);
  });
});

describe('examples/mount/worker.ts, in workerd', () => {
  let worker: Miniflare;
  beforeAll(async () => {
    worker = await startWorker('examples/mount/worker.ts', { MIDCALL_KEY: randomBytes(32).toString('base64') });
  });
  afterAll(() => worker.dispose());
  const inWorker = (async (url: string | URL, init?: RequestInit) =>
    worker.dispatchFetch(String(url), init as never)) as unknown as typeof fetch;

  it.each(['localhost', 'paint.example.workers.dev'])(
    'a worker asks a client of 2026-07-28 at %s, in rounds',
    async host => {
      expect(await paints('2026-07-28', new URL(`https://${host}/mcp`), inWorker)).toBe('Painted 12 m red.');
    },
  );

  it('a worker serves a client of 2025-11-25 without a session, and asks nobody', async () => {
    expect(await paints('2025-11-25', new URL('http://localhost/mcp'), inWorker)).toBe('Nothing was painted.');
  });

  it('a worker uses a state once', async () => {
    const states: { readonly url: string; readonly init: RequestInit }[] = [];
    const spying = (async (url: string | URL, init?: RequestInit) => {
      if (String(init?.body).includes('requestState')) states.push({ url: String(url), init: init! });
      return inWorker(url, init);
    }) as typeof fetch;
    await paints('2026-07-28', new URL('http://localhost/mcp'), spying);
    const [{ url, init }] = states as [(typeof states)[0]];
    const other = String(init.body).replace('"value":"red"', '"value":"green"');
    const response = await inWorker(url, { method: 'POST', headers: init.headers!, body: other });
    expect(await response.text()).toContain('already_answered');
  });
});

describe('examples/mount/vercel.ts, called as Vercel calls it', () => {
  const url = new URL('http://localhost/api/mcp');
  const inFunction = ((target: string | URL, init?: RequestInit) =>
    vercel.fetch(new Request(target, init))) as typeof fetch;

  it('a function asks a client of 2026-07-28, in rounds', async () => {
    expect(await paints('2026-07-28', url, inFunction)).toBe('Painted 12 m red.');
  });

  it('a function serves a client of 2025-11-25 without a session, and asks nobody', async () => {
    expect(await paints('2025-11-25', url, inFunction)).toBe('Nothing was painted.');
  });
});

it('the contract of stores holds in workerd', async () => {
  const worker = await startWorker('test/examples/contract-worker.ts', {});
  try {
    const response = await worker.dispatchFetch('http://localhost/');
    const { ran, failed } = (await response.json()) as { ran: number; failed: string[] };
    expect(failed).toEqual([]);
    expect(ran).toBeGreaterThan(10);
  } finally {
    await worker.dispose();
  }
});

it('pages stand beside the endpoint, at one address', async () => {
  const signIn = { begin: () => undefined, principal: () => undefined } as unknown as SignIn;
  const endpoint = paintWithPages(new URL('https://paint.example.com/pages'), signIn);
  const server = createServer(nodeHandler(endpoint));
  const origin = await listening(server);
  try {
    const page = await fetch(`${origin}/pages/no-such-page`);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, expect.stringContaining('text/html')]);
    expect((await fetch(`${origin}/mcp`)).status).toBe(400);
  } finally {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    await endpoint.stop({ within: 0 });
  }
});
