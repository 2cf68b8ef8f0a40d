/** Authors learn of their mistakes: an error in a factory or a handler is on standard error, unless `onError` is given. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MidcallOptions, midcall } from '@midcall/server';
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { nodeHandler, serveHttp, serveStdio } from '@midcall/server/node';
import { connectPair, eras, explore, pairings, scriptedPerson } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer as ServerOfV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InMemoryTransport, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { negotiation } from '../../../packages/testing/src/eras.ts';

/** What is written on standard error. */
function standardError(): { readonly text: string } {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation(line => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return {
    get text() {
      return lines.join('\n');
    },
  };
}

const mistakes = {
  'a raw shape of Zod': (mid: ReturnType<typeof midcall>, server: McpServer) =>
    mid.tool(server, 'add', { inputSchema: { a: z.number() } as never }, () => 'added'),
  'a wrong option': (mid: ReturnType<typeof midcall>, server: McpServer) =>
    mid.tool(server, 'add', { anotations: {} } as never, () => 'added'),
  'two tools of one name': (mid: ReturnType<typeof midcall>, server: McpServer) => {
    mid.tool(server, 'add', {}, () => 'added');
    mid.tool(server, 'add', {}, () => 'added');
  },
};

function factoryWith(mistake: keyof typeof mistakes, options: MidcallOptions = {}) {
  const mid = midcall(options);
  return () => {
    const server = new McpServer({ name: 'adds', version: '1.0.0' });
    mistakes[mistake](mid, server);
    return server;
  };
}

const client = (era: (typeof eras)[number]) =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiation(era) });

describe.each(eras)('%s', era => {
  it.each(Object.keys(mistakes) as (keyof typeof mistakes)[])('%s in a factory is told over stdio', async mistake => {
    const told = standardError();
    const [near, far] = InMemoryTransport.createLinkedPair();
    const serving = serveStdio(factoryWith(mistake), { transport: far });
    await expect(client(era).connect(near)).rejects.toThrow();
    await serving.stop({ within: 0 });
    expect(told.text).toMatch(/^midcall: a registration failed: \w*Error: .*\n\s+at /u);
    expect(told.text).toContain('told-errors.test.ts');
  });

  it.each(['memory', 'http'] as const)(
    'a factory that returns no server, over %s, is told what to return',
    async carrier => {
      const told = standardError();
      const forgetful = (() => void new McpServer({ name: 'adds', version: '1.0.0' })) as never;
      await expect(connectPair(forgetful, { era, carrier })).rejects.toThrow(
        "What a factory of servers returns must be an McpServer or a Server of '@modelcontextprotocol/server'",
      );
      const [near, far] = InMemoryTransport.createLinkedPair();
      const serving = serveStdio(forgetful, { transport: far });
      await expect(client(era).connect(near)).rejects.toThrow();
      await serving.stop({ within: 0 });
      expect(told.text).toMatch(
        /^midcall: the factory of a server failed: TypeError: What a factory .* got nothing\./mu,
      );
    },
  );

  it('a server of SDK v1 is refused where a tool is registered', async () => {
    const told = standardError();
    const mid = midcall();
    const factory = () => {
      const server = new ServerOfV1({ name: 'adds', version: '1.0.0' });
      // @ts-expect-error: the types refuse it as well
      mid.tool(server, 'add', {}, () => 'added');
      return server;
    };
    // @ts-expect-error: the types refuse it as well
    await expect(connectPair(factory, { era })).rejects.toThrow(
      "must be an McpServer of '@modelcontextprotocol/server' (SDK v2;",
    );
    expect(told.text).toContain('midcall: a registration failed');
    expect(() => mid.wrap(new ServerOfV1({ name: 'adds', version: '1.0.0' }) as never)).toThrow(
      'mid.wrap: the first argument',
    );
  });

  const served: readonly (readonly [string, (options: HttpOptions) => Promise<{ url: URL; fetch?: typeof fetch }>])[] =
    [
      [
        'serveHttp',
        async options => {
          const serving = await serveHttp(broken, options);
          onTestFinished(() => serving.stop({ within: 0 }));
          return serving;
        },
      ],
      [
        'a Node handler',
        async options => {
          const endpoint = mcpEndpoint(broken, options);
          const server = createServer(nodeHandler(endpoint));
          await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
          onTestFinished(async () => {
            server.closeAllConnections();
            server.close();
            await endpoint.stop({ within: 0 });
          });
          return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) };
        },
      ],
      [
        'fetch',
        async options => {
          const endpoint = mcpEndpoint(broken, options);
          onTestFinished(() => endpoint.stop({ within: 0 }));
          const inProcess = ((url, init) => endpoint.fetch(new Request(url, init))) as typeof fetch;
          return { url: new URL('http://localhost/mcp'), fetch: inProcess };
        },
      ],
    ];
  const broken = (): never => {
    throw new TypeError('the factory is broken');
  };

  it.each(served)('what a factory throws is told by %s, once for each time', async (_, serve) => {
    const told = standardError();
    const { url, fetch } = await serve({});
    await expect(client(era).connect(new StreamableHTTPClientTransport(url, fetch && { fetch }))).rejects.toThrow();
    expect(told.text).toMatch(/^midcall: the factory of a server failed: TypeError: the factory is broken\n\s+at /u);
    const errors: string[] = [];
    const quiet = await serve({ onError: error => void errors.push(error.message) });
    const before = told.text;
    const transport = new StreamableHTTPClientTransport(quiet.url, quiet.fetch && { fetch: quiet.fetch });
    await expect(client(era).connect(transport)).rejects.toThrow();
    expect(errors).toContain('the factory is broken');
    expect(told.text).toBe(before);
  });
});

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('connectPair throws what the factory threw', async () => {
    standardError();
    const failure = new TypeError('the factory is broken');
    const pair = connectPair(() => Promise.reject(failure), { era, carrier });
    expect(await pair.catch(error => error)).toBe(failure);
  });

  it('a TypeError of a handler is told, and what the protocol answers is not', async () => {
    const told = standardError();
    const mid = midcall({ warn: () => {} });
    await using pair = await connectPair(
      () => {
        const server = new McpServer({ name: 'fails', version: '1.0.0' });
        mid.tool(server, 'slip', {}, () => {
          throw new TypeError('Cannot read\n properties\u001B[2J', { cause: new Error('the cause') });
        });
        mid.tool(server, 'refuse', {}, () => {
          throw new ProtocolError(-32602, 'not this one');
        });
        return server;
      },
      { era, carrier },
    );
    await pair.client.callTool({ name: 'refuse' }).catch(() => {});
    expect(told.text).toBe('');
    await pair.client.callTool({ name: 'slip' });
    expect(told.text).toMatch(
      /^midcall: tools\/call of 'slip' failed: TypeError: Cannot read⟦U\+000A⟧ properties⟦U\+001B⟧\[2J\n\s+at /u,
    );
    expect(told.text).toMatch(/\nCaused by Error: the cause\n\s+at /u);
  });
});

it('onError is told of a registration that failed, without a call, and standard error is not', () => {
  const told = standardError();
  const errors: unknown[][] = [];
  expect(factoryWith('a wrong option', { onError: (...args) => void errors.push(args) })).toThrow(TypeError);
  expect(errors).toEqual([[expect.any(TypeError), undefined]]);
  expect(told.text).toBe('');
});

it('explore throws what the factory threw', async () => {
  standardError();
  const failure = new TypeError('the factory is broken');
  const exploring = explore({ name: 'add', server: () => () => Promise.reject(failure) }, {}, { hangMs: 200 });
  expect(await exploring.catch(error => error)).toBe(failure);
});

it('whoever operates a server is told once that a call came back to it that another key sealed', async () => {
  const warned: string[] = [];
  const warn = (warning: string) => void warned.push(warning);
  const [old, changed] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')].map(key =>
    midcall({ key, warn }),
  );
  let mid = old!;
  const factory = () => {
    const server = new McpServer({ name: 'adds', version: '1.0.0' });
    mid.tool(server, 'add', {}, async (_, call) => (await call.elicit({ message: 'Add?', form: Boolean })).action);
    return server;
  };
  const restarted = async () => {
    mid = changed!;
    return { action: 'accept', content: { value: true } };
  };
  const person = scriptedPerson([restarted, restarted]);
  await using pair = await connectPair(factory, { era: '2026-07-28', carrier: 'http', person });
  for (const _ of [1, 2]) {
    mid = old!;
    await expect(pair.client.callTool({ name: 'add' })).rejects.toMatchObject({ code: -32602 });
  }
  expect(warned).toEqual([expect.stringContaining('sealed with a key that this server does not have')]);
});
