/** Hosts that share an upstream server: what one subscribes to is its own, however the others come and go. */
import type { ServerEntry } from '@midcall/host';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { Subscriptions } from '../../packages/midcall/src/bridge/upstream/subscriptions.ts';
import { grown } from '../fixtures/grown.ts';
import { httpStage } from './http-stage.ts';

describe('subscriptions of several hosts', () => {
  const [ada, alan] = [{ name: 'ada' }, { name: 'alan' }];
  const [one, other] = [{ uri: 'notes://1' }, { uri: 'notes://2' }];

  it('subscriptions-S1: subscriptions of several hosts are the server’s until the last of them has ended', () => {
    const all = new Subscriptions<object>();
    all.add(ada, one);
    all.add(alan, one);
    all.add(ada, other);
    expect(all.end(alan, one)).toBe(false);
    expect(all.leave(ada)).toEqual(['notes://1', 'notes://2']);
    expect(all.leave(ada)).toEqual([]);
  });

  it('subscriptions-S1: subscriptions of several hosts are the server’s own business if nobody here has them', () => {
    const all = new Subscriptions<object>();
    expect([all.end(ada, one), all.end(ada, { uri: 5 }), all.end(ada, undefined)]).toEqual([true, true, true]);
  });

  it('subscriptions-S2: subscriptions of several hosts get the updates of their own resource, and of those that nobody has', () => {
    const all = new Subscriptions<object>();
    all.add(ada, one);
    expect([all.wants(ada, one), all.wants(alan, one)]).toEqual([true, false]);
    expect([all.wants(ada, other), all.wants(alan, other), all.wants(alan, undefined)]).toEqual([true, true, true]);
  });
});

const tokens = ['Qm7-token-of-ada-who-subscribes-Lr31xx', 'Hd2-token-of-alan-who-unsubscribes-Pz90'] as const;
const guard = tokenGuard([
  { token: tokens[0], principal: 'ada', desk: false },
  { token: tokens[1], principal: 'alan', desk: false },
]);

it('subscriptions-S1, subscriptions-S2: a shared server goes on telling one principal what another no longer wants, and only them', async () => {
  const heard: string[] = [];
  const servers: McpServer[] = [];
  await using on = await httpStage({
    upstream: '2025-11-25',
    serve: (_, server) => {
      servers.push(server);
      server.registerResource('one', 'notes://1', {}, () => ({ contents: [{ uri: 'notes://1', text: 'one' }] }));
      server.server.registerCapabilities({ resources: { subscribe: true } });
      for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
        server.server.setRequestHandler(method, ({ params }) => {
          heard.push(`${method} ${params.uri}`);
          return {};
        });
    },
    entries: (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: true }, guard }],
  });
  const updates: string[] = [];
  const [ada, alan] = await Promise.all(
    tokens.map(async (token, at) => {
      const client = new Client({ name: 'host', version: '1' });
      onTestFinished(() => client.close());
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updates.push(`${at} ${params.uri}`);
      });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(on.url, { requestInit }));
      return client;
    }),
  );
  const [one, two] = [{ uri: 'notes://1' }, { uri: 'notes://2' }];
  await ada!.subscribeResource(one);
  await alan!.subscribeResource(one);
  await alan!.subscribeResource(two);
  await alan!.unsubscribeResource(one);
  expect(heard.filter(each => each.includes('/unsubscribe'))).toEqual([]);
  for (const server of servers) for (const { uri } of [one, two]) await server.server.sendResourceUpdated({ uri });
  await grown(updates, list => list.length >= 2);
  expect(updates.sort()).toEqual(['0 notes://1', '1 notes://2']);
  await ada!.unsubscribeResource(one);
  expect(heard.at(-1)).toBe('resources/unsubscribe notes://1');
});
