/**
 * What packages/server/src/sdk-seam/ relies on. Each test names one thing the SDK does that its documents do not promise, so
 * that an update of the SDK says at once what moved.
 */
import { PassThrough } from 'node:stream';
import { type JSONRPCMessage, McpServer, type Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  cacheHintOf,
  contextOf,
  nameOf,
  readToolArguments,
  serverInfoOf,
} from '../../../packages/server/src/sdk-seam/server-members.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()));
});

const create = (options: object = {}) => new McpServer({ name: 'notes', version: '1.0.0' }, options);

describe('what the seam to the SDK relies on', () => {
  it('a method can be handled once, and says so before', () => {
    const server = create();
    expect(() => server.server.assertCanSetRequestHandler('tools/call')).not.toThrow();
    server.registerTool('act', {}, async () => ({ content: [] }));
    expect(() => server.server.assertCanSetRequestHandler('tools/call')).toThrow();
  });

  it('a server has its introduction, and its hints for caches, in private members', () => {
    expect([nameOf(create()), serverInfoOf(create())]).toEqual(['notes', { name: 'notes', version: '1.0.0' }]);
    const hint = { ttlMs: 5, cacheScope: 'public' };
    expect(cacheHintOf(create({ cacheHints: { 'resources/read': hint } }))).toEqual(hint);
    expect(cacheHintOf(create())).toBeUndefined();
  });

  it('a server makes contexts of what it is given, with what a handler may call', async () => {
    const server = create({ capabilities: { logging: {} } });
    const sent: unknown[] = [];
    const { signal } = new AbortController();
    const notify = async (message: unknown) => void sent.push(message);
    const base = { sessionId: 's', mcpReq: { id: 1, method: 'tools/call', signal, notify }, http: { authInfo: 'who' } };
    const request = new Request('http://127.0.0.1/');
    const { sessionId, mcpReq, http } = contextOf(server, base, { request });
    expect([sessionId, mcpReq.id, mcpReq.signal, http?.authInfo, http?.req]).toEqual(['s', 1, signal, 'who', request]);
    await mcpReq.log('info', 'said');
    expect(sent).toEqual([
      { method: 'notifications/message', params: { level: 'info', data: 'said', logger: undefined } },
    ]);
    expect([typeof mcpReq.elicitInput, typeof mcpReq.requestSampling]).toEqual(['function', 'function']);
  });

  it('a server reads the arguments of a tool, and has a limit for them', async () => {
    const server = create({ maxToolInputElements: 2 });
    const tool = server.registerTool('act', { inputSchema: z.object({ n: z.coerce.number() }) }, () => ({
      content: [],
    }));
    expect(await readToolArguments(server, tool, { n: '1' }, 'act')).toEqual({ n: 1 });
    await expect(readToolArguments(server, tool, {}, 'act')).rejects.toThrow('Invalid arguments for tool act');
    await expect(readToolArguments(server, tool, { n: 1, m: [1, 2] }, 'act')).rejects.toThrow('maximum of 2 elements');
  });

  it('every list of tools is set through setRequestHandler of the instance, as the last argument', () => {
    const server = create();
    const lowLevel = server.server as unknown as { setRequestHandler: (method: string, ...rest: unknown[]) => void };
    const register = lowLevel.setRequestHandler.bind(server.server);
    const seen = new Map<string, unknown>();
    lowLevel.setRequestHandler = (method, ...rest) => {
      seen.set(method, rest.at(-1));
      register(method, ...rest);
    };
    server.registerTool('act', {}, () => ({ content: [] }));
    expect(typeof seen.get('tools/list')).toBe('function');
  });

  it('a server connects through its low-level one, which listens to the transport before it starts it', async () => {
    const steps: string[] = [];
    const sent: JSONRPCMessage[] = [];
    const transport: Transport = {
      async start() {
        steps.push(`start ${typeof transport.onmessage} ${typeof transport.onclose}`);
        // A transport may have messages by now.
        transport.onmessage?.({ jsonrpc: '2.0', id: 7, method: 'ping' });
      },
      async send(message) {
        sent.push(message);
      },
      async close() {
        transport.onclose?.();
      },
    };
    const server = create();
    const connect = server.server.connect.bind(server.server);
    server.server.connect = each => {
      steps.push('connect');
      return connect(each);
    };
    await server.connect(transport);
    await new Promise(resolve => setImmediate(resolve));
    expect(steps).toEqual(['connect', 'start function function']);
    expect(sent).toMatchObject([{ id: 7, result: {} }]);
    await server.close();
  });

  it('a change of a registered tool, prompt or resource goes through its own update', () => {
    const server = create();
    const tool = server.registerTool('act', {}, () => ({ content: [] }));
    const prompt = server.registerPrompt('ask', {}, () => ({ messages: [] }));
    const resource = server.registerResource('read', 'notes://one', {}, () => ({ contents: [] }));
    for (const each of [tool, prompt, resource] as {
      update: (updates: object) => void;
      disable(): void;
      remove(): void;
    }[]) {
      const updates: object[] = [];
      each.update = given => void updates.push(given);
      each.disable();
      each.remove();
      expect(updates).toEqual([{ enabled: false }, each === resource ? { uri: null } : { name: null }]);
    }
  });

  it('the channel that the entry for stdio gives a server leads to its wire', async () => {
    const stdin = new PassThrough();
    const on = new StdioServerTransport(stdin, new PassThrough());
    const connected = new Promise<Transport>(resolve => {
      const factory = () => {
        const server = create();
        server.server.connect = async transport => resolve(transport);
        return server;
      };
      open.push(serveStdio(factory, { transport: on }));
    });
    stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
    expect((await connected) as unknown as { _wire: Transport }).toMatchObject({ _wire: on });
  });
});
