/** Requests as an attacker writes them: every byte of the head and the body is the test's. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type HttpOptions, type McpEndpoint, mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';

export interface RawAnswer {
  readonly status: number;
  /** The head, in lower case. */
  readonly head: string;
  readonly body: string;
}

/** True where an answer has come to its end; that of a stream stays open otherwise. */
function isWhole(got: string): boolean {
  const end = got.indexOf('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(got.slice(0, end))?.[1];
  if (end < 0) return false;
  if (length !== undefined) return Buffer.byteLength(got.slice(end + 4)) >= Number(length);
  return got.endsWith('\r\n0\r\n\r\n');
}

/**
 * Sends bytes and reads the answer to its end.
 * @param enough - closes the connection as soon as what came is enough
 */
export function sendRaw(port: number, request: string, enough = (_: string) => false): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => void socket.write(request));
    let got = '';
    socket.setEncoding('utf8').on('data', chunk => {
      got += chunk;
      if (enough(got) || isWhole(got)) socket.destroy();
    });
    socket.on('error', reject).on('close', () => {
      const [head = '', ...rest] = got.split('\r\n\r\n');
      const sent = rest.join('\r\n\r\n');
      const chunked = /^transfer-encoding: chunked$/im.test(head);
      // Good enough for what a test compares: no text of ours has a line of hexadecimal digits.
      const body = chunked ? sent.replace(/(?:^|\r\n)[\da-f]+\r\n/giu, '') : sent;
      resolve({ status: Number(head.split(' ')[1]), head: head.toLowerCase(), body });
    });
  });
}

/** Sends bytes, and keeps the connection once what came is enough. */
export function holdRaw(port: number, request: string, enough: (got: string) => boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => void socket.write(request));
    let got = '';
    socket.setEncoding('utf8').on('data', chunk => {
      got += chunk;
      if (enough(got)) resolve(socket);
    });
    socket.on('error', reject).on('close', () => reject(new Error(`the connection was closed: ${got}`)));
  });
}

/** One POST of JSON, on a connection of its own. */
export function post(body: string, headers: Readonly<Record<string, string>> = {}, target = '/mcp'): string {
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** An endpoint in a server whose connections are counted. */
export interface Counted extends AsyncDisposable {
  readonly port: number;
  readonly endpoint: McpEndpoint;
  /** Resolves when every connection there has been is closed. */
  closed(): Promise<void>;
}

/** @param parsed - stands for a parser in front of the endpoint, and gives what it has read */
export async function countedEndpoint(
  factory: McpServerFactory,
  options: HttpOptions = {},
  parsed = (): unknown => undefined,
): Promise<Counted> {
  const endpoint = mcpEndpoint(factory, options);
  const handle = nodeHandler(endpoint);
  const server: Server = createServer((req, res) => void handle(req, res, parsed()));
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    endpoint,
    async closed() {
      await Promise.all([...sockets].map(socket => new Promise(resolve => socket.once('close', resolve))));
    },
    async [Symbol.asyncDispose]() {
      await endpoint.stop({ within: 0 });
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
