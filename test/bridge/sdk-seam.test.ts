/**
 * What the bridge knows of the insides of the SDK's server, each fact by itself, against the SDK that is installed. A title that
 * fails after an update of the SDK names what moved, and which file of packages/midcall/src/bridge/sdk-seam/ is to follow it.
 */
import { midcall } from '@midcall/server';
import { InMemoryTransport, type JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { aroundMessages } from '../../packages/midcall/src/bridge/sdk-seam/around-messages.ts';
import { HeldTransport } from '../../packages/midcall/src/bridge/sdk-seam/held-transport.ts';
import { grown } from '../fixtures/grown.ts';

type Frame = { readonly id?: number; readonly method?: string; readonly result?: object };

/** One end of a pair in memory, with no SDK behind it. */
async function rawHost() {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Frame[] = [];
  near.onmessage = message => void received.push(message as Frame);
  await near.start();
  const send = (frame: object): Promise<void> => near.send({ jsonrpc: '2.0', ...frame } as JSONRPCMessage);
  return { near, far, received, send };
}

const server = (): McpServer => new McpServer({ name: 's', version: '1.0.0' });
const ping = (id: number) => ({ id, method: 'ping' });

describe('around-messages', () => {
  it('changes what the server sends and what it receives, and answers in its place', async () => {
    const { far, received, send } = await rawHost();
    const seen: unknown[] = [];
    const wrapped = server();
    aroundMessages(wrapped, {
      outgoing: message => Object.assign({ marked: true }, message),
      incoming(message, answer) {
        seen.push('method' in message && message.method);
        if ('method' in message && message.method === 'refused') {
          void answer({ jsonrpc: '2.0', id: 2, result: { by: 'seam' } });
          return undefined;
        }
        return { ...message, method: 'ping' } as JSONRPCMessage;
      },
    });
    await wrapped.connect(far);
    await send({ id: 1, method: 'renamed' });
    await send({ id: 2, method: 'refused' });
    await grown(received, list => list.length === 2);
    expect(seen).toEqual(['renamed', 'refused']);
    expect(received.sort((a, b) => a.id! - b.id!)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {}, marked: true },
      { jsonrpc: '2.0', id: 2, result: { by: 'seam' } },
    ]);
  });
});

describe('held-transport', () => {
  it('answers pings before it is served, and begins with the request that it was waiting for', async () => {
    const { far, received, send } = await rawHost();
    const held = new HeldTransport(far);
    const first = held.first();
    await send(ping(1));
    await send({ id: 2, method: 'tools/list' });
    expect(await first).toMatchObject({ method: 'tools/list' });
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    await server().connect(held);
    await send(ping(3));
    await grown(received, list => list.length === 3);
    expect(received.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  });

  it('offers whoever answers directly each message first, but none that follows one left to the SDK in the same turn', async () => {
    const { far } = await rawHost();
    const held = new HeldTransport(far);
    void held.first();
    const [direct, left]: [unknown[], unknown[]] = [[], []];
    held.onmessage = message => void left.push((message as Frame).id);
    await held.start();
    held.ondirect = message => {
      const { id, method } = message as Frame;
      if (method === 'tools/call') direct.push(id);
      return method === 'tools/call';
    };
    const hear = (id: number, method: string) => far.onmessage!({ jsonrpc: '2.0', id, method });
    hear(1, 'tools/call');
    hear(2, 'ping');
    hear(3, 'tools/call');
    await new Promise(setImmediate);
    hear(4, 'tools/call');
    expect(direct).toEqual([1, 4]);
    expect(left).toEqual([2, 3]);
  });

  it('direct-D3: is where a call is answered, once the SDK has passed its server one, and no longer after the end', async () => {
    const { far, received, send } = await rawHost();
    const held = new HeldTransport(far);
    void held.first();
    const mid = midcall();
    const served = serveStdio(
      () => {
        const called = server();
        called.server.registerCapabilities({ tools: {} });
        mid.handle(called, 'tools/call', async () => ({ content: [] }), {
          direct: ({ params }) => ({ result: Promise.resolve({ content: [], of: params['name'] }), end: () => {} }),
        });
        return called;
      },
      { transport: held },
    );
    const bySdk: unknown[] = [];
    const pass = held.onmessage!;
    held.onmessage = (...heard) => {
      bySdk.push((heard[0] as Frame).id);
      pass(...heard);
    };
    const call = async (id: number) => {
      await send({ id, method: 'tools/call', params: { name: `t${id}` } });
      return grown(received, list => list.some(each => each.id === id));
    };
    const clientInfo = { name: 'host', version: '1' };
    await send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    });
    await grown(received, list => list.length === 1);
    await call(2);
    await new Promise(setImmediate);
    await call(3);
    expect(bySdk).toEqual([1, 2]);
    expect(received.slice(1).map(({ id, result }) => [id, result])).toEqual([
      [2, { content: [], of: 't2' }],
      [3, { content: [], of: 't3' }],
    ]);
    await served.close();
    expect(held.ondirect).toBeUndefined();
  });

  it('tells whoever waits for a request, and the server it is given to, that the host has gone', async () => {
    const { near, far } = await rawHost();
    const held = new HeldTransport(far);
    const first = held.first();
    await near.close();
    expect(await first).toBeUndefined();
    expect(held.gone.signal.aborted).toBe(true);
    const closed: string[] = [];
    const late = server();
    late.server.onclose = () => void closed.push('closed');
    await late.connect(held);
    expect(closed).toEqual(['closed']);
  });
});
