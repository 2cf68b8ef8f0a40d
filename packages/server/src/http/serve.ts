/** Listens with one or more endpoints, for both eras, in its own Node server. */
import type { IncomingMessage } from 'node:http';
import { MidcallError } from '@midcall/core/errors';
import { type HttpListener, listenHttp, type RequestHandler, readTarget } from '@midcall/core/node';
import { checkKind, checkOptions, type Kinds, name, port as portKind, serverFactoryKind } from '@midcall/core/options';
import { closing, type StopOptions, stopKinds, stopParts } from '@midcall/core/stop';
import { isLoopback } from '@midcall/core/url';
import type { AnyServerFactory } from '../sdk-seam/index.ts';
import { endpointKinds, type HttpOptions, type McpEndpoint, mcpEndpoint, partsOf } from './endpoint.ts';
import { type NodeHandler, nodeHandler } from './node-handler.ts';

/** Where a server listens. */
export interface Listening {
  /** The address to listen on; loopback by default. */
  readonly host?: string;
  /** 0, the default, picks a free one. */
  readonly port?: number;
}

/** A server that listens. */
export interface HttpServing {
  /** Where clients connect, with the real port. */
  readonly url: URL;
  readonly endpoint: McpEndpoint;
  /**
   * Refuses new requests, lets those in progress end and their results arrive, and closes everything, with the instances of
   * `midcall()` whose servers nobody else serves.
   * @param options - `within`: milliseconds that requests in progress may take; 10,000 if absent. Calls that wait for a person do not
   *   take them: their questions are withdrawn, or go on in a round, in a task, with a ticket, or at another replica
   */
  stop(options?: StopOptions): Promise<void>;
}

const servingKinds: Kinds<HttpOptions & Listening> = { ...endpointKinds, host: name, port: portKind };

/**
 * Listens for both eras.
 * @param factory - see `mcpEndpoint`
 * @throws MidcallError `server/setup` if the address is not available, or if it is open to other machines but `allowedHosts`
 *   does not name the hosts they use
 * @example
 * ```ts
 * const serving = await serveHttp(() => notesServer(mid), { port: 3000 });
 * console.error(`Serving at ${serving.url}`);
 * ```
 */
export async function serveHttp(
  factory: AnyServerFactory,
  options: HttpOptions & Listening = {},
): Promise<HttpServing> {
  checkKind('serveHttp', 'the first argument', factory, serverFactoryKind);
  checkOptions('serveHttp', options, servingKinds);
  const { host = '127.0.0.1', port = 0, ...served } = options;
  const { path = '/mcp', allowedHosts, onError } = served;
  refuseOpen(host, allowedHosts);
  const endpoint = mcpEndpoint(factory, served);
  const { url, stop } = await listen({ [path]: endpoint }, host, port, onError);
  return { url: new URL(path, url), endpoint, stop };
}

/** Several endpoints that listen at one address. */
export interface EndpointsServing {
  /** The address, with the real port and the path `/`. */
  readonly url: URL;
  /** Stops all endpoints together, as that of {@link serveHttp} stops its own. */
  stop(options?: StopOptions): Promise<void>;
}

/**
 * Listens with several endpoints at one address, for several servers side by side.
 * @param endpoints - each under its `path`. A request for any other path goes to the first, which answers it as its
 *   `elsewhere` says.
 * @param options - `allowedHosts`: as for an endpoint
 * @throws MidcallError `server/setup` as {@link serveHttp} does
 * @example
 * ```ts
 * const serving = await serveEndpoints({
 *   '/mcp/notes': mcpEndpoint(() => notesServer(mid), { path: '/mcp/notes' }),
 *   '/mcp/orders': mcpEndpoint(() => ordersServer(mid), { path: '/mcp/orders' }),
 * });
 * ```
 */
export async function serveEndpoints(
  endpoints: Readonly<Record<string, McpEndpoint>>,
  options: Listening & Pick<HttpOptions, 'allowedHosts' | 'onError'> = {},
): Promise<EndpointsServing> {
  checkKind('serveEndpoints', 'the first argument', endpoints, {
    words: "endpoints by their paths: { '/mcp/notes': mcpEndpoint(…) }",
    fits: value => typeof value === 'object' && value !== null && Object.keys(value).some(each => each.startsWith('/')),
  });
  const { allowedHosts, onError: onErrorKind } = endpointKinds;
  checkOptions('serveEndpoints', options, { allowedHosts, onError: onErrorKind, host: name, port: portKind });
  const { host = '127.0.0.1', port = 0, onError } = options;
  refuseOpen(host, options.allowedHosts);
  return listen(endpoints, host, port, onError);
}

function refuseOpen(host: string, allowedHosts: readonly string[] | undefined): void {
  if (isLoopback(host) || allowedHosts?.length) return;
  throw new MidcallError(
    'server/setup',
    `${host} is open to other machines: name the hosts under which they may reach this server (allowedHosts, --allow-host).`,
  );
}

async function listen(
  endpoints: Readonly<Record<string, McpEndpoint>>,
  host: string,
  port: number,
  onError: HttpOptions['onError'],
): Promise<EndpointsServing> {
  const all = Object.values(endpoints);
  const handlers = all.map(nodeHandler);
  const byPath = new Map(Object.keys(endpoints).map((path, at) => [path, handlers[at]!]));
  const handlerOf = (req: IncomingMessage): NodeHandler | undefined => {
    const path = readTarget(req)?.path;
    return path === undefined ? undefined : byPath.get(new URL(`http://localhost${path}`).pathname);
  };
  /** Requests whose responses have not been sent completely. */
  const open = new Set<Promise<void>>();
  const handle: RequestHandler = async (req, res) => {
    const handling = (byPath.get(req.url ?? '') ?? handlerOf(req) ?? handlers[0]!)(req, res);
    open.add(handling);
    await handling.finally(() => open.delete(handling));
  };
  let http: HttpListener;
  try {
    http = await listenHttp(handle, { host, port, onError });
  } catch (error) {
    await Promise.all(all.map(endpoint => endpoint.stop({ within: 0 })));
    throw new MidcallError('server/setup', cannotListen(error, host, port), { cause: error });
  }
  let stopping: Promise<void> | undefined;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: new URL(`http://${name}:${http.port}/`),
    stop(how = {}) {
      checkOptions('serving.stop', how, stopKinds);
      stopping ??= stopParts(
        [
          ...all.flatMap(partsOf),
          // The last answers may still be on their way.
          closing(() => Promise.all(open)),
          closing(async () => {
            const closed = new Promise(resolve => http.server.close(resolve));
            http.server.closeAllConnections();
            await closed;
          }),
        ],
        how,
      );
      return stopping;
    },
  };
}

function cannotListen(error: unknown, host: string, port: number): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken. Choose another, or 0 for any free one.`;
  if (code === 'EACCES') return `Port ${port} on ${host} may not be opened. Choose one from 1024 up.`;
  return `Cannot listen on ${host}, port ${port}: ${code ?? 'unknown error'}.`;
}
