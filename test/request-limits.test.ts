/** How long every HTTP server of ours waits for a request that has begun. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { confirm } from '@midcall/server/connect';
import { serveHttp } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { CallbackListener } from '../packages/host/src/authorization/callback-listener.ts';
import { fixture, told } from './connect/fixture.ts';
import { stage } from './web/stage.ts';

/** The server, as Node tells of it when a request arrives, that takes a request for this address. */
async function serverAt(url: URL): Promise<Server> {
  const taken: Server[] = [];
  const note = (message: unknown) => void taken.push((message as { readonly server: Server }).server);
  subscribe('http.server.request.start', note);
  try {
    await (await fetch(url, { redirect: 'manual' })).body?.cancel();
  } finally {
    unsubscribe('http.server.request.start', note);
  }
  return taken[0]!;
}

it.each<[string, () => Promise<{ readonly url: URL; readonly close: () => unknown }>]>([
  [
    'an endpoint',
    async () => {
      const serving = await serveHttp(() => new McpServer({ name: 'fixture', version: '1.0.0' }), { port: 0 });
      return { url: serving.url, close: () => serving.stop({ within: 0 }) };
    },
  ],
  [
    'a page',
    async () => {
      const made = await fixture({
        era: '2025-11-25',
        handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm() })),
      });
      const ended = made.call().catch(() => {});
      const { params } = await made.whenAsked(1);
      return {
        url: new URL(String(params['url'])),
        async close() {
          await made.pair.close();
          await ended;
        },
      };
    },
  ],
  [
    'the desk',
    async () => {
      const { desk } = await stage();
      return { url: new URL(desk.url), close: () => desk.stop({ within: 0 }) };
    },
  ],
  [
    'the end of a sign-in',
    async () => {
      const listener = (await CallbackListener.open())!;
      return { url: new URL(listener.redirectUri), close: () => listener.close() };
    },
  ],
])('%s waits half a minute for a request, and ten seconds for its head', async (_, start) => {
  const { url, close } = await start();
  const { requestTimeout, headersTimeout } = await serverAt(url);
  expect([requestTimeout, headersTimeout]).toEqual([30_000, 10_000]);
  await close();
});
