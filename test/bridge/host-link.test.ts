/** Requests of an upstream server of kinds that are unknown to the bridge, before a host that need not answer. */
import type { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { afterEach, expect, it, vi } from 'vitest';
import { HostLink } from '../../packages/midcall/src/bridge/link/host-link.ts';
import { passAnnouncements } from '../../packages/midcall/src/bridge/upstream/upstream-session.ts';

afterEach(() => vi.useRealTimers());

/** A host that answers a request when it is told to. */
async function silentHost() {
  const server = new McpServer({ name: 'bridge', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const asked: (JSONRPCMessage & { readonly id?: unknown })[] = [];
  near.onmessage = message => void asked.push(message);
  await near.start();
  await server.connect(far);
  const link = new HostLink(server, false);
  const ask = () => link.request({ method: 'example.org/ask' }, new AbortController().signal);
  const answer = (at: number) => near.send({ jsonrpc: '2.0', id: asked[at]!.id as number, result: { at } });
  return { link, near, asked, ask, answer };
}

it('the bridge passes a hundred unknown requests on at a time, and refuses the others until one is answered', async () => {
  const host = await silentHost();
  const waiting = Array.from({ length: 100 }, host.ask);
  await expect(host.ask()).rejects.toMatchObject({ code: -32000 });
  expect(host.asked).toHaveLength(100);
  await host.answer(7);
  expect(await waiting[7]).toEqual({ at: 7 });
  const next = host.ask();
  await expect(host.ask()).rejects.toMatchObject({ code: -32000 });
  expect(host.asked).toHaveLength(101);
  const rest = Promise.allSettled([...waiting, next]);
  await host.near.close();
  expect((await rest).filter(({ status }) => status === 'rejected')).toHaveLength(100);
});

it('the bridge gives up on a host that does not answer for 15 minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const host = await silentHost();
  const waiting = expect(host.ask()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  vi.advanceTimersByTime(15 * 60_000);
  await waiting;
});

it('the bridge does not ask a host for directories that are not passed on', async () => {
  const { link, asked, answer } = await silentHost();
  const client = {} as Client;
  passAnnouncements(client, new Set([link]), { wants: () => false });
  const request = (method: string) =>
    client.fallbackRequestHandler!({ jsonrpc: '2.0', id: 1, method }, {
      mcpReq: { signal: new AbortController().signal },
    } as never);
  await expect(request('roots/list')).rejects.toMatchObject({ code: -32601 });
  expect(asked).toEqual([]);
  const other = request('example.org/ask');
  expect(asked).toHaveLength(1);
  await answer(0);
  expect(await other).toEqual({ at: 0 });
});
