/** Requests that the front of a server sends to its client: packages/server/src/sdk-seam/front.ts. */
import { getEventListeners } from 'node:events';
import { type JSONRPCMessage, McpServer, type ServerContext, type Transport } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { frontOf, requestUntil } from '../../../packages/server/src/sdk-seam/front.ts';

/** Sends a request, for somebody who awaits its answer. */
function requestClient(
  server: McpServer,
  ctx: ServerContext,
  method: string,
  params: Readonly<Record<string, unknown>>,
) {
  const stop = new AbortController();
  const answer = requestUntil(stop.signal, server, ctx, { method, params });
  return { answer, cancel: (reason: unknown) => stop.abort(reason) };
}

const ctx = { mcpReq: { id: 7 } } as unknown as ServerContext;
const params = { message: 'Sure?' };

/** A server on a transport that remembers what it is given. */
async function connected(failing = false) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const sent: { readonly message: JSONRPCMessage; readonly relatedRequestId: unknown }[] = [];
  const errors: string[] = [];
  const transport: Transport = {
    async start() {},
    async send(message, options) {
      if (failing) throw new Error('broken pipe');
      sent.push({ message, relatedRequestId: options?.relatedRequestId });
    },
    async close() {
      transport.onclose?.();
    },
  };
  server.server.onerror = error => errors.push(error.message);
  frontOf(server);
  await server.connect(transport);
  const receive = (message: object) => transport.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  return { server, sent, errors, receive };
}

describe('a request to the client', () => {
  it('a request to the client is sent with its call, under an id that no request of the SDK has, and answered as it came', async () => {
    const { server, sent, errors, receive } = await connected();
    const one = requestClient(server, ctx, 'elicitation/create', params);
    const two = server.server.ping();
    const three = requestClient(server, ctx, 'elicitation/create', params);
    const ids = sent.map(({ message }) => 'id' in message && message.id);
    expect(new Set(ids).size).toBe(3);
    expect(sent[0]).toEqual({
      message: { jsonrpc: '2.0', id: ids[0], method: 'elicitation/create', params },
      relatedRequestId: 7,
    });
    receive({ id: ids[2], result: { action: 'accept', content: { deep: [1] } } });
    receive({ id: ids[1], result: {} });
    receive({ id: ids[0], result: { odd: true } });
    expect(await Promise.all([one.answer, two, three.answer])).toEqual([
      { odd: true },
      {},
      { action: 'accept', content: { deep: [1] } },
    ]);
    expect(errors).toEqual([]);
  });

  it('a request to the client fails with the error that the client sends, and its code', async () => {
    const { server, sent, receive } = await connected();
    const { answer } = requestClient(server, ctx, 'elicitation/create', params);
    receive({ id: (sent[0]!.message as { id: string }).id, error: { code: -32601, message: 'Method not found' } });
    await expect(answer).rejects.toMatchObject({ code: -32601 });
  });

  it('a request to the client fails where it cannot be sent, and where the connection ends or has ended', async () => {
    const broken = await connected(true);
    await expect(requestClient(broken.server, ctx, 'roots/list', {}).answer).rejects.toThrow('broken pipe');
    const { server } = await connected();
    const { answer } = requestClient(server, ctx, 'roots/list', {});
    await Promise.all([expect(answer).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' }), server.close()]);
    await expect(requestClient(server, ctx, 'roots/list', {}).answer).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  it('a request to the client that is cancelled tells the client once, with the reason, and takes no answer any more', async () => {
    const { server, sent, errors, receive } = await connected();
    const request = requestClient(server, ctx, 'elicitation/create', params);
    const { answer } = request;
    const reason = new Error('too late');
    request.cancel(reason);
    request.cancel(new Error('again'));
    const { id } = sent[0]!.message as { id: string };
    receive({ id, result: {} });
    await expect(answer).rejects.toBe(reason);
    expect(sent.slice(1)).toEqual([
      {
        message: {
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, reason: 'Error: too late' },
        },
        relatedRequestId: 7,
      },
    ]);
    expect(errors).toEqual([expect.stringContaining('unknown message ID')]);
  });

  it('a request to the client that was answered cannot be cancelled', async () => {
    const { server, sent, receive } = await connected();
    const request = requestClient(server, ctx, 'elicitation/create', params);
    const { answer } = request;
    receive({ id: (sent[0]!.message as { id: string }).id, result: { done: true } });
    request.cancel(new Error('too late'));
    expect(await answer).toEqual({ done: true });
    expect(sent).toHaveLength(1);
  });

  it('a request to the client ends with a signal that fires, and is not sent where it has fired', async () => {
    const { server, sent } = await connected();
    const stop = new AbortController();
    const answer = requestUntil(stop.signal, server, ctx, { method: 'roots/list', params: {} });
    stop.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    await expect(requestUntil(stop.signal, server, ctx, { method: 'roots/list', params: {} })).rejects.toThrow(
      'stopped',
    );
    expect(sent.map(({ message }) => 'method' in message && message.method)).toEqual([
      'roots/list',
      'notifications/cancelled',
    ]);
  });

  it('a request to the client leaves nothing at its signal once it is answered', async () => {
    const { server, sent, receive } = await connected();
    const { signal } = new AbortController();
    const answer = requestUntil(signal, server, ctx, { method: 'roots/list', params: {} });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    receive({ id: (sent[0]!.message as { id: string }).id, result: { roots: [] } });
    expect(await answer).toEqual({ roots: [] });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
