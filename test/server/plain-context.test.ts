/** What packages/server/src/sdk-seam/plain-context.ts promises: the context of a call that takes the short way is the SDK's. */
import { midcall } from '@midcall/server';
import { InMemoryTransport, inputRequired, McpServer, Server, type ServerContext } from '@modelcontextprotocol/server';
import { afterEach, expect, it } from 'vitest';
import { Cancellation } from '../../packages/server/src/sdk-seam/cancellation.ts';
import { withSignal } from '../../packages/server/src/sdk-seam/plain-context.ts';
import { grown } from '../fixtures/grown.ts';

const authInfo = { token: 'secret', clientId: 'desk', scopes: [] };
const open: McpServer[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** A client that has initialized, the contexts of its calls, and all that it is sent. */
async function connected() {
  const seen: ServerContext[] = [];
  const mid = midcall({
    warn: () => {},
    principal: ctx => {
      seen.push(ctx);
      return undefined;
    },
  });
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities: { logging: {} } });
  mid.tool(server, 'list', {}, () => 'none');
  let rounds = 0;
  mid.tool(server, 'twice', {}, () => {
    rounds += 1;
    if (rounds % 2 === 0) return 'done';
    const requestedSchema = { type: 'object' as const, properties: {} };
    const inputRequests = { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema }) };
    return inputRequired({ inputRequests }) as never;
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  open.push(server);
  await server.connect(far);
  await near.start();
  const sent: Record<string, unknown>[] = [];
  near.onmessage = message => void sent.push(message as unknown as Record<string, unknown>);
  const send = async (message: object) => {
    // Who sends it is known, so that the author's principal is asked for.
    await near.send({ jsonrpc: '2.0', ...message } as never, { authInfo });
  };
  const capabilities = { elicitation: {}, sampling: {} };
  const clientInfo = { name: 'raw', version: '1' };
  await send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
  await grown(sent, all => all.length >= 1);
  await send({ method: 'notifications/initialized' });
  await send({ method: 'logging/setLevel', id: 1, params: { level: 'info' } });
  await grown(sent, all => all.length >= 2);
  sent.length = 0;
  return { seen, sent, send };
}

const isOurs = (ctx: ServerContext): boolean => Cancellation.of(ctx.mcpReq) !== undefined;

/** The names of all members that are there, and whether each is a function. */
function membersOf(value: object): Record<string, string> {
  const found: Record<string, string> = {};
  for (let each = value; each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each))
      if (name !== 'constructor' && name !== 'whole')
        found[name] = typeof (value as Readonly<Record<string, unknown>>)[name];
  return found;
}

it('has the members that the SDK gives a context, and the same values', async () => {
  const { seen, sent, send } = await connected();
  const params = { name: 'list', _meta: { progressToken: 7 } };
  await send({ id: 5, method: 'tools/call', params: { ...params, _meta: { ...params._meta, other: 1 } } });
  await send({ id: 5, method: 'tools/call', params });
  await grown(sent, all => all.length >= 2);
  const [theirs, ours] = seen as [ServerContext, ServerContext];
  expect(seen.map(isOurs)).toEqual([false, true]);
  expect(membersOf(ours)).toEqual(membersOf(theirs));
  // Up to 2025-11-25 a request has neither, and the SDK leaves out what is not there.
  const absent = { envelope: 'undefined', inputResponses: 'undefined' };
  expect(membersOf(ours.mcpReq)).toEqual({ ...membersOf(theirs.mcpReq), ...absent });
  const { id, method, _meta, signal } = ours.mcpReq;
  expect({ id, method, token: _meta?.progressToken }).toEqual({ id: 5, method: 'tools/call', token: 7 });
  expect([signal.aborted, ours.mcpReq.requestState(), ours.http]).toEqual([false, undefined, theirs.http]);
  expect(ours.http?.authInfo).toEqual(authInfo);
});

it('sends by its functions what those of the SDK send', async () => {
  const { seen, sent, send } = await connected();
  await send({ id: 5, method: 'tools/call', params: { name: 'list', _meta: { other: 1 } } });
  await send({ id: 6, method: 'tools/call', params: { name: 'list' } });
  await grown(sent, all => all.length >= 2);
  sent.length = 0;
  for (const [at, { mcpReq }] of seen.entries()) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
    await mcpReq.log('warning', { some: 'data' }, 'logger');
    await mcpReq.log('debug', 'below the level');
    const requestedSchema = { type: 'object' as const, properties: {} };
    void mcpReq.elicitInput({ message: 'Sure?', requestedSchema }).catch(() => {});
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
    void mcpReq.requestSampling({ messages, maxTokens: 5 }).catch(() => {});
    void mcpReq.send({ method: 'ping' }).catch(() => {});
    await grown(sent, all => all.length >= (at + 1) * 5);
  }
  const withoutIds = sent.map(({ id: _, ...message }) => message);
  expect(withoutIds.slice(5)).toEqual(withoutIds.slice(0, 5));
  expect(withoutIds.map(({ method }) => method).slice(5)).toEqual([
    'notifications/progress',
    'notifications/message',
    'elicitation/create',
    'sampling/createMessage',
    'ping',
  ]);
});

it('keeps all members in a copy with another signal, whoever made it', async () => {
  const { seen, sent, send } = await connected();
  await send({ id: 5, method: 'tools/call', params: { name: 'list', _meta: { progressToken: 7, other: 1 } } });
  await send({ id: 5, method: 'tools/call', params: { name: 'list', _meta: { progressToken: 7 } } });
  await grown(sent, all => all.length >= 2);
  const { signal } = new AbortController();
  const [theirs, ours] = seen.map(ctx => withSignal(ctx, signal)) as [ServerContext, ServerContext];
  expect(membersOf(ours.mcpReq)).toEqual(membersOf(theirs.mcpReq));
  expect([ours.mcpReq.signal === signal, isOurs(ours)]).toEqual([true, false]);
});

it('keeps all members where a result asks for input, and the SDK calls again with a copy', async () => {
  const { seen, sent, send } = await connected();
  for (const _meta of [{ other: 1 }, undefined]) {
    const before = sent.length;
    await send({ id: 5, method: 'tools/call', params: { name: 'twice', ...(_meta && { _meta }) } });
    await grown(sent, all => all.length > before);
    await send({ id: sent.at(-1)!['id'], result: { action: 'accept', content: {} } });
    await grown(sent, all => all.length > before + 1);
  }
  expect(sent.map(each => each['result'])).toMatchObject([undefined, {}, undefined, { content: [{ text: 'done' }] }]);
  const [first, theirs, plain, ours] = seen as [ServerContext, ServerContext, ServerContext, ServerContext];
  expect([first, plain].map(isOurs)).toEqual([false, true]);
  expect(membersOf(ours.mcpReq)).toEqual({ ...membersOf(theirs.mcpReq), _meta: 'undefined' });
  expect(Object.keys(ours.mcpReq.inputResponses ?? {})).toEqual(['sure']);
});

it('is left to a server whose class makes its own', async () => {
  const { seen, sent, send } = await connected();
  class Adding extends Server {
    protected override buildContext(...given: Parameters<Server['buildContext']>): ServerContext {
      return Object.assign(super.buildContext(...given), { added: given[0].mcpReq.id });
    }
  }
  const low = open.at(-1)!.server;
  Object.setPrototypeOf(low, Adding.prototype);
  await send({ id: 8, method: 'tools/call', params: { name: 'list' } });
  await grown(sent, all => all.length >= 1);
  expect(seen.at(-1)).toMatchObject({ added: 8, mcpReq: { id: 8, method: 'tools/call' } });
});
