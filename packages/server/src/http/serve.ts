/** Listening with one endpoint, for both eras, in a Node server of its own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MidcallError } from '@midcall/core/errors';
import { checkGiven, checkOptions, type Kinds, name, port, serverFactoryKind } from '@midcall/core/options';
import { isLoopback } from '@midcall/core/url';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { endpointKinds, type HttpOptions, type McpEndpoint, mcpEndpoint } from './endpoint.ts';

/** Where a server listens. */
export interface Listening {
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
}

/** A server that listens. */
export interface HttpServing {
  /** Where clients connect, with the real port. */
  readonly url: URL;
  readonly endpoint: McpEndpoint;
  /** Stops listening, ends sessions and closes connections. */
  close(): Promise<void>;
}

const servingKinds: Kinds<HttpOptions & Listening> = { ...endpointKinds, host: name, port };

/**
 * Listens for both eras.
 * @param factory - see `mcpEndpoint`
 * @throws MidcallError `server/setup` where the address cannot be had, or where it is open to others while no
 *   `allowedHosts` says under which name they come
 */
export async function serveHttp(
  factory: McpServerFactory,
  options: HttpOptions & Listening = {},
): Promise<HttpServing> {
  checkGiven('serveHttp', 'the first argument', factory, serverFactoryKind);
  checkOptions('serveHttp', options, servingKinds);
  const { host = '127.0.0.1', port = 0, ...served } = options;
  const { path = '/mcp' } = served;
  if (!isLoopback(host) && !options.allowedHosts?.length) {
    throw new MidcallError(
      'server/setup',
      `${host} is open to other machines: name the hosts under which they may reach this server (allowedHosts, --allow-host).`,
    );
  }
  const endpoint = mcpEndpoint(factory, served);
  const server = createServer((req, res) => void endpoint.handle(req, res));
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    await endpoint.close();
    throw new MidcallError('server/setup', cannotListen(error, host, port), { cause: error });
  }
  server.on('error', error => options.onError?.(error));
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: new URL(`http://${name}:${(server.address() as AddressInfo).port}${path}`),
    endpoint,
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function cannotListen(error: unknown, host: string, port: number): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken. Choose another, or 0 for any free one.`;
  if (code === 'EACCES') return `Port ${port} on ${host} may not be opened. Choose one from 1024 up.`;
  return `Cannot listen on ${host}, port ${port}: ${code ?? 'unknown error'}.`;
}
