/** Streams of events that nobody reads event by event, such as one that comes in place of an error. */
import { expect, it } from 'vitest';
import { openTransport } from '../../../packages/host/src/connection/transport.ts';

const events = 'text/event-stream';
const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } } as const;
/** With this one, the transport opens the stream on which a server sends what it likes. */
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' } as const;

/** Many small events, much longer together than the largest message, and the answer to the request. */
const note = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n';
const stream = `${note.repeat(500)}data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`;

/** A server of which each response to a request by one HTTP method is that stream. */
async function streaming(on: 'POST' | 'GET', { status = 200, type = events } = {}) {
  let times = 0;
  const transport = openTransport(
    { kind: 'url', url: 'http://127.0.0.1:3000/mcp' },
    {
      mostBytes: 1_000,
      onTooLarge: () => {
        times += 1;
      },
      fetch: async (_, init) =>
        init?.method === on
          ? new Response(stream, { status, headers: { 'content-type': type } })
          : new Response(null, { status: 202 }),
    },
  );
  transport.onmessage = () => {};
  await transport.start();
  return { transport, tooLarge: () => times };
}

it.each([
  ['an error', request, { status: 500 }],
  ['an acknowledgement', request, { status: 202 }],
  ['the response to a notification', cancelled, {}],
  ['a type of its own', request, { type: `${events}-x` }],
] as const)(
  'a stream of events that comes as %s is limited as a whole, since it is held as a whole',
  async (_, message, response) => {
    const { transport, tooLarge } = await streaming('POST', response);
    await transport.send(message).catch(() => {});
    await transport.close();
    expect(tooLarge()).toBe(1);
  },
);

it.each([events, 'Text/Event-Stream; charset=utf-8'])(
  'each event of a response to a request is limited by itself, %s',
  async type => {
    const { transport, tooLarge } = await streaming('POST', { type });
    await transport.send(request);
    await transport.close();
    expect(tooLarge()).toBe(0);
  },
);

it('each event of the stream on which a server sends what it likes is limited by itself', async () => {
  const { transport, tooLarge } = await streaming('GET');
  const isRead = new Promise<void>(resolve => {
    transport.onmessage = message => 'result' in message && resolve();
    transport.onerror = () => resolve();
  });
  await transport.send(initialized);
  await isRead;
  await transport.close();
  expect(tooLarge()).toBe(0);
});
