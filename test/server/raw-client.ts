/** A 2026-07-28 client without a client library: it sends exactly what a test says, as an attacker would. */

import type { HttpOptions } from '@midcall/server/http';
import { serveHttp } from '@midcall/server/node';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

export type Carrier = 'memory' | 'http';

export interface Reply {
  readonly result?: {
    readonly resultType?: string;
    readonly inputRequests?: Readonly<Record<string, { method: string; params: Record<string, unknown> }>>;
    readonly requestState?: string;
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly messages?: readonly unknown[];
    readonly contents?: readonly unknown[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export interface SendOptions {
  /** Presented as a bearer token, where the server authenticates. */
  readonly token?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface RawClient extends AsyncDisposable {
  send(method: string, params: Readonly<Record<string, unknown>>, options?: SendOptions): Promise<Reply>;
  /** Calls the tool `act`. */
  act(params?: Readonly<Record<string, unknown>>, options?: SendOptions): Promise<Reply>;
}

export const textOf = (reply: Reply): string => reply.result?.content?.[0]?.text ?? reply.error?.message ?? '';

export async function rawClient(
  factory: McpServerFactory,
  carrier: Carrier,
  http: HttpOptions = {},
): Promise<RawClient> {
  const served = carrier === 'memory' ? inMemory(factory) : await overHttp(factory, http);
  let id = 0;
  const send: RawClient['send'] = (method, params, options = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? { elicitation: {} },
    };
    return served.send(
      { jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: { ...(params['_meta'] as object), ..._meta } } },
      options,
    );
  };
  return {
    send,
    act: (params = {}, options) => send('tools/call', { name: 'act', arguments: {}, ...params }, options),
    [Symbol.asyncDispose]: () => served.close(),
  };
}

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly jsonrpc: '2.0';
}

interface Served {
  send(message: Message, options: SendOptions): Promise<Reply>;
  close(): Promise<void>;
}

function inMemory(factory: McpServerFactory): Served {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  const waiting = new Map<unknown, (reply: Reply) => void>();
  near.onmessage = message => waiting.get((message as { id?: unknown }).id)?.(message as Reply);
  void near.start();
  return {
    async send(message, { signal }) {
      const reply = new Promise<Reply>(resolve => waiting.set(message.id, resolve));
      await near.send(message);
      signal?.addEventListener('abort', () => {
        void near.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } });
      });
      return reply;
    },
    close: () => handle.close(),
  };
}

async function overHttp(factory: McpServerFactory, http: HttpOptions): Promise<Served> {
  const serving = await serveHttp(factory, { port: 0, ...http });
  return {
    async send(message, { token, signal }) {
      const { name, uri, taskId } = message.params as { name?: string; uri?: string; taskId?: string };
      const response = await fetch(serving.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': message.method,
          'mcp-name': name ?? uri ?? taskId ?? '',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(message),
        ...(signal ? { signal } : {}),
      });
      const text = await response.text();
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(text) as Reply;
      const data = text.split('\n').filter(line => line.startsWith('data: {'));
      return JSON.parse(data.at(-1)!.slice('data: '.length)) as Reply;
    },
    close: () => serving.stop({ within: 0 }),
  };
}
