/** What packages/server/src/eras/push.ts does with the answers of a round: at once where nothing is unusual, and otherwise not. */
import { type Midcall, type MidcallOptions, midcall } from '@midcall/server';
import { InMemoryTransport, McpServer, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/server';
import { afterEach, expect, it } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

const open: McpServer[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** A client of 2025-11-25 that has initialized, and all that it is sent from then on. */
async function connected(
  register: (mid: Midcall, server: McpServer) => void,
  { options = {}, wrap = () => {} }: { options?: MidcallOptions; wrap?: (transport: Transport) => void } = {},
) {
  const mid = midcall({ warn: () => {}, suspectBelowMs: 0, ...options });
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  register(mid, server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  wrap(far);
  open.push(server);
  await server.connect(far);
  await near.start();
  const sent: Record<string, unknown>[] = [];
  near.onmessage = message => void sent.push(message as unknown as Record<string, unknown>);
  const send = (message: object) => near.send({ jsonrpc: '2.0', ...message } as never);
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  await send({ id: 0, method: 'initialize', params });
  await grown(sent, all => all.length === 1);
  sent.length = 0;
  const called = async (name: string) => {
    await send({ id: 1, method: 'tools/call', params: { name } });
    await grown(sent, all => all.length === 1);
  };
  const accept = async (at: number) => {
    await send({ id: sent[at]!['id'], result: { action: 'accept', content: { value: true } } });
    await grown(sent, all => all.length > at + 1);
  };
  return { sent, called, accept };
}

const resultOf = (text: string) => ({ content: [{ type: 'text', text }] });

it('a push runs a handler again that ended while its question was open, and answers with what that returns', async () => {
  let runs = 0;
  let outrun = (): void => {};
  const outran = new Promise<void>(resolve => {
    outrun = resolve;
  });
  const { sent, called, accept } = await connected((mid, server) =>
    mid.tool(server, 'ask', {}, async (_, call) => {
      runs += 1;
      const asked = call.elicit({ message: 'Sure?', form: Boolean });
      // The first run returns once its question has left.
      if (runs === 1) await grown(sent, all => all.length === 1);
      setImmediate(outrun);
      return runs === 1 ? 'early' : (await asked).action;
    }),
  );
  await called('ask');
  await outran;
  await accept(0);
  expect([runs, sent[1]!['result']]).toEqual([2, resultOf('accept')]);
});

it('a push runs the handler again for each answer where the option strict is set', async () => {
  let runs = 0;
  const { sent, called, accept } = await connected(
    (mid, server) =>
      mid.tool(server, 'ask', {}, async (_, call) => {
        runs += 1;
        return (await call.elicit({ message: 'Sure?', form: Boolean })).action;
      }),
    { options: { strict: true } },
  );
  await called('ask');
  await accept(0);
  expect([runs, sent[1]!['result']]).toEqual([2, resultOf('accept')]);
});

it('a push ends a call whose question did not reach a client that is gone, and asks nothing again', async () => {
  let refused = 0;
  const { sent, called } = await connected(
    (mid, server) =>
      mid.tool(server, 'ask', {}, async (_, call) => (await call.elicit({ message: 'Sure?', form: Boolean })).action),
    {
      wrap: transport => {
        const send = transport.send.bind(transport);
        transport.send = (message, options) => {
          if (!('method' in message) || message.method !== 'elicitation/create') return send(message, options);
          refused += 1;
          return Promise.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
        };
      },
    },
  );
  await called('ask');
  expect(sent).toMatchObject([{ id: 1, result: { isError: true } }]);
  expect(refused).toBe(1);
});
