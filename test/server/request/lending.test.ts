/** Which servers may run the calls of others, by what their factories read. */
import { type McpRequestContext, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { isLendable, makeServer } from '../../../packages/server/src/request/lending.ts';

const request: McpRequestContext = { era: 'legacy', authInfo: { token: 'tOken-4hT9', clientId: 'app', scopes: [] } };

it('lending-1: a server that its factory gives twice may not run the calls of others where it read either request', async () => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  let read: unknown;
  const factory: McpServerFactory = context => {
    read ??= context.authInfo;
    return server;
  };
  await makeServer(factory, request);
  await makeServer(factory, request);
  expect(read).toBeDefined();
  expect(isLendable(server)).toBe(false);
});

it('lending-1: a server may run the calls of others where nothing of its request was read', async () => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  await makeServer(() => server, request);
  expect(isLendable(server)).toBe(true);
});
