/**
 * What the bridge knows of the insides of the SDK's server, each fact by itself, against the SDK that is installed. A title that
 * fails after an update of the SDK names what moved, and which file of packages/midcall/src/bridge/sdk-seam/ is to follow it.
 */
import { InMemoryTransport, type JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { aroundMessages } from '../../packages/midcall/src/bridge/sdk-seam/around-messages.ts';
import { BufferedTransport } from '../../packages/midcall/src/bridge/sdk-seam/buffered-transport.ts';
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
  it('what the server sends and receives can be changed, and answered in its place', async () => {
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

describe('buffered-transport', () => {
  it('a transport answers pings before it is served, and begins with the request that it was waiting for', async () => {
    const { far, received, send } = await rawHost();
    const held = new BufferedTransport(far);
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

  it('whoever waits for a request, and the server it is given to, are told that the host has gone', async () => {
    const { near, far } = await rawHost();
    const held = new BufferedTransport(far);
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
