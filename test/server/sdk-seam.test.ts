/**
 * What packages/server/src/sdk-seam/ stands on. Each test names one thing the SDK does that its documents do not promise, so
 * that an update of the SDK says at once what moved.
 */
import { afterClose } from '@midcall/core/sdk-seam';
import { connectPair } from '@midcall/testing';
import {
  type JSONRPCMessage,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Transport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { nameOf } from '../../packages/server/src/sdk-seam/server-name.ts';
import { tapReceived, tapSent } from '../../packages/server/src/sdk-seam/tapped-transport.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()));
});

const create = () => new McpServer({ name: 'notes', version: '1.0.0' });
type Register = (method: string, ...rest: unknown[]) => void;

/** A server whose registrations are seen, as the seam sees them. */
function watched() {
  const server = create();
  const lowLevel = server.server as unknown as { setRequestHandler: Register };
  const register = lowLevel.setRequestHandler.bind(server.server);
  const seen: { method: string; handler: unknown }[] = [];
  lowLevel.setRequestHandler = (method, ...rest) => {
    seen.push({ method, handler: rest.at(-1) });
    return register(method, ...rest);
  };
  return { server, seen };
}

describe('what the seam to the SDK stands on', () => {
  it('every handler is set through setRequestHandler of the instance, as the last argument', () => {
    const { server, seen } = watched();
    server.registerTool('act', {}, async () => ({ content: [] }));
    server.registerPrompt('ask', {}, async () => ({ messages: [] }));
    server.registerResource('read', 'notes://one', {}, async () => ({ contents: [] }));
    const asking = ['tools/call', 'tools/list', 'prompts/get', 'resources/read'];
    expect(seen.map(({ method }) => method)).toEqual(expect.arrayContaining(asking));
    expect(seen.filter(({ handler }) => typeof handler !== 'function')).toEqual([]);
  });

  it('a method can be handled once, and says so before', () => {
    const server = create();
    expect(() => server.server.assertCanSetRequestHandler('tools/call')).not.toThrow();
    server.registerTool('act', {}, async () => ({ content: [] }));
    expect(() => server.server.assertCanSetRequestHandler('tools/call')).toThrow();
  });

  it('the name of a server is in a private member', () => {
    expect(nameOf(create())).toBe('notes');
  });

  it('a callback is given the very context that the handler around it was given', async () => {
    const server = create();
    const lowLevel = server.server as unknown as { setRequestHandler: Register };
    const register = lowLevel.setRequestHandler.bind(server.server);
    let outer: unknown;
    let inner: unknown;
    lowLevel.setRequestHandler = (method, ...rest) => {
      const handler = rest.at(-1) as (request: unknown, ctx: unknown) => unknown;
      register(method, ...rest.slice(0, -1), (request: unknown, ctx: unknown) => {
        if (method === 'tools/call') outer = ctx;
        return handler(request, ctx);
      });
    };
    server.registerTool('act', { inputSchema: z.object({}) }, async (_, ctx) => {
      inner = ctx;
      return { content: [] };
    });
    const pair = await connectPair(() => server, { era: '2025-11-25', carrier: 'memory' });
    open.push(pair);
    await pair.client.callTool({ name: 'act', arguments: {} });
    expect(outer).toBeDefined();
    expect(inner).toBe(outer);
  });

  const thrown = {
    'a plain error': () => new Error('broken'),
    'a protocol error': () => new ProtocolError(-32602, 'refused'),
    'a missing capability': () =>
      new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation: {} } }, 'missing'),
  };
  it.each(Object.entries(thrown))('what a tool throws becomes its result: %s', async (_, error) => {
    const factory = () => {
      const server = create();
      server.registerTool('act', {}, async () => {
        throw error();
      });
      return server;
    };
    const pair = await connectPair(factory, { era: '2025-11-25', carrier: 'memory' });
    open.push(pair);
    const result = await pair.client.callTool({ name: 'act' });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(error().message) }] });
  });

  it('the error that names a page is the one that a tool can throw through', async () => {
    const factory = () => {
      const server = create();
      server.registerTool('act', {}, async () => {
        throw new UrlElicitationRequiredError(
          [{ mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 'one' }],
          'Sign in',
        );
      });
      return server;
    };
    const pair = await connectPair(factory, { era: '2025-11-25', carrier: 'memory' });
    open.push(pair);
    await expect(pair.client.callTool({ name: 'act' })).rejects.toMatchObject({ code: -32042 });
  });

  it('a transport is sent to and listened to through its own members, which connect sets', async () => {
    const wire: JSONRPCMessage[] = [];
    const transport: Transport = {
      async start() {},
      async send(message) {
        wire.push(message);
      },
      async close() {
        transport.onclose?.();
      },
    };
    const told: string[] = [];
    const answered = new Promise<void>(resolve => {
      tapSent(transport, message => {
        told.push(`sent ${'id' in message ? message.id : ''}`);
        resolve();
      });
    });
    const server = create();
    afterClose(server.server, () => told.push('closed'));
    afterClose(server.server, () => told.push('closed, told beside it'));
    await server.connect(transport);
    expect(transport.onmessage).toBeTypeOf('function');
    tapReceived(transport, message => told.push(`received ${'method' in message ? message.method : ''}`));
    transport.onmessage?.({ jsonrpc: '2.0', id: 7, method: 'ping' });
    await answered;
    await server.close();
    expect(told).toEqual(['received ping', 'sent 7', 'closed', 'closed, told beside it']);
    expect(wire).toMatchObject([{ id: 7, result: {} }]);
  });
});
