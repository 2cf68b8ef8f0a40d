/** Every HTTP listener of ours, and requests that come when it has ended or that its handler fails at. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as dial, type Socket } from 'node:net';
import { listenHttp } from '@midcall/core/node';
import { systemClock } from '@midcall/core/time';
import { connect } from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler, serveHttp } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CallbackListener } from '../packages/host/src/authorization/callback-listener.ts';
import { PageServer } from '../packages/server/src/connect/page-server.ts';
import { httpStage } from './bridge/http-stage.ts';
import { stage } from './web/stage.ts';

/** A listener, and how its owner ends it. */
interface Listener {
  readonly port: number;
  readonly path: string;
  end(): unknown;
}

const factory = (): McpServer => new McpServer({ name: 'notes', version: '1.0.0' });

/** A Node server of somebody else with a handler of ours. */
async function mounted(handler: Parameters<typeof createServer>[1], end: () => unknown): Promise<Listener> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, path: '/mcp', end };
}

const listeners: Readonly<Record<string, () => Promise<Listener>>> = {
  'of a sign-in': async () => {
    const listener = (await CallbackListener.open())!;
    return { port: Number(new URL(listener.redirectUri).port), path: '/callback', end: () => listener.close() };
  },
  'of the desk': async () => {
    const { desk } = await stage();
    const { port, pathname: path } = new URL(desk.url);
    return { port: Number(port), path, end: () => desk.stop({ within: 0 }) };
  },
  'of serveHttp': async () => {
    const serving = await serveHttp(factory);
    return { port: Number(serving.url.port), path: '/mcp', end: () => serving.stop({ within: 0 }) };
  },
  'of a bridge': async () => {
    const bridge = await httpStage({ upstream: '2026-07-28' });
    return { port: Number(bridge.url.port), path: '/mcp', end: () => bridge[Symbol.asyncDispose]() };
  },
  'of pages on loopback': async () => {
    const server = new PageServer({ fetch: () => new Response('a page'), clock: systemClock, port: 0 });
    const port = await server.listen('a-page', Date.now() + 60_000);
    return { port, path: '/connect', end: () => server.close() };
  },
  'with a mounted endpoint': () => {
    const endpoint = mcpEndpoint(factory);
    return mounted(nodeHandler(endpoint), () => endpoint.stop({ within: 0 }));
  },
  'with mounted pages': () => {
    const pages = connect({ name: 'Notes', baseUrl: 'http://127.0.0.1/mcp' });
    return mounted(pages.handle, () => pages.close());
  },
};

/** What reaches the process while `run` runs, where it would end it. */
async function reachingProcess(run: (reached: Promise<unknown>) => Promise<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let reach = (): void => {};
  const reached = new Promise<void>(resolve => {
    reach = resolve;
  });
  const take = (error: unknown): void => {
    all.push(error);
    reach();
  };
  process.on('uncaughtExceptionMonitor', take);
  process.on('unhandledRejection', take);
  try {
    await run(reached);
    // A rejection that nobody handles is reported in the next turn.
    await new Promise(resolve => setImmediate(resolve));
    return all;
  } finally {
    process.off('uncaughtExceptionMonitor', take);
    process.off('unhandledRejection', take);
  }
}

/** A connection that the other side has accepted; `over` resolves when it is closed, or has been answered. */
async function open(port: number, begun: string): Promise<{ readonly socket: Socket; readonly over: Promise<string> }> {
  const socket = dial(port, '127.0.0.1');
  let got = '';
  const over = new Promise<string>(resolve => {
    socket.setEncoding('utf8').on('data', chunk => {
      got += chunk;
      if (got.includes('\r\n\r\n')) resolve(got);
    });
    socket.on('error', () => {}).on('close', () => resolve(got));
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(begun);
  return { socket, over };
}

describe.each(Object.entries(listeners))('a listener %s', (_, start) => {
  it('listener-C1: a listener that has ended answers or closes an open connection that a request comes on; nothing reaches the process', async () => {
    const { port, path, end } = await start();
    const head = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
    const unused = await open(port, '');
    const begun = await open(port, head);
    // Answered, so the connections before it have been accepted.
    const used = await open(port, `${head}\r\n`);
    expect(await used.over).toMatch(/^HTTP\/1\.1 [1-5]\d\d /);
    const reached = await reachingProcess(async failed => {
      const ended = end();
      const all = [begun, unused, used].map(({ socket, over }, at) => {
        socket.write(at === 0 ? '\r\n' : `${head}\r\n`);
        return over;
      });
      await Promise.race([Promise.all([...all, ended]), failed]);
    });
    expect(reached).toEqual([]);
  });
});

describe('a listener whose handler fails', () => {
  const get = async (handle: Parameters<typeof listenHttp>[0], onError?: (error: Error) => void) => {
    const { server, port } = await listenHttp(handle, { port: 0, onError });
    onTestFinished(() => void server.close().closeAllConnections());
    const { over } = await open(port, `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
    return over;
  };

  it.each([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('listener-C1: a listener whose handler fails reports it, and answers with 500, where it %s', async (_, handle) => {
    const told: Error[] = [];
    let got = '';
    const reached = await reachingProcess(async () => {
      got = await get(handle, error => told.push(error));
    });
    expect(got).toMatch(/^HTTP\/1\.1 500 /);
    expect(told.map(({ message }) => message)).toEqual(['a bug']);
    expect(reached).toEqual([]);
  });

  it('listener-C1: a listener tells nobody of clients that leave before their request has arrived', async () => {
    const told: Error[] = [];
    const { server, port } = await listenHttp(
      async req => {
        for await (const _ of req);
      },
      { port: 0, onError: error => told.push(error) },
    );
    onTestFinished(() => void server.close());
    const left: Promise<unknown>[] = [];
    server.on('request', (_req, res) => left.push(once(res, 'close')));
    for (let n = 0; n < 20; n += 1) {
      const client = dial(port, '127.0.0.1');
      client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf');
      await once(server, 'request');
      client.destroy();
    }
    await Promise.all(left);
    await new Promise(resolve => setImmediate(resolve));
    expect([left.length, told]).toEqual([20, []]);
  });

  it('listener-C1: a listener whose handler fails cuts the answer off where it has begun', async () => {
    const told: Error[] = [];
    const { server, port } = await listenHttp(
      (_, res) => {
        res.writeHead(200, { 'content-length': 10 }).flushHeaders();
        fail();
      },
      { port: 0, onError: error => told.push(error) },
    );
    onTestFinished(() => void server.close());
    const { socket } = await open(port, `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    await once(socket, 'close');
    expect(told).toHaveLength(1);
  });

  it('listener-C1: a listener whose handler fails does not fail at connections that cannot be accepted, however many', async () => {
    const told: Error[] = [];
    const { server } = await listenHttp(() => {}, { port: 0, onError: error => told.push(error) });
    onTestFinished(() => void server.close());
    for (const message of ['EMFILE', 'EMFILE again']) server.emit('error', new Error(message));
    expect(told.map(({ message }) => message)).toEqual(['EMFILE', 'EMFILE again']);
  });
});

function fail(): never {
  throw new Error('a bug');
}
