/** An endpoint in a Node server: a plain one, or that of a framework that uses Node's requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, contained, originalUrl, readTarget } from '@midcall/core/node';
import { checkKind, having } from '@midcall/core/options';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { HEALTH_PATH, type McpEndpoint } from './endpoint.ts';
import type { Outgoing } from './unread-bytes.ts';

/** What the SDK's middleware for Express has verified. */
type Verified = IncomingMessage & { readonly auth?: AuthInfo };

/**
 * Serves an endpoint's requests in a Node server.
 * @param parsedBody - the parsed body, if it is not in `req.body`. A function, such as Express's `next`, is ignored
 * @returns when the response has been sent; never rejects
 */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, parsedBody?: unknown) => Promise<void>;

/**
 * An endpoint as a handler of Node's requests. The sender is read from `req.auth` if the endpoint has no `authenticate`.
 * @param endpoint - the result of `mcpEndpoint`
 * @example
 * ```ts
 * createServer(nodeHandler(mcpEndpoint(() => notesServer(mid)))).listen(3000, '127.0.0.1');
 * ```
 */
export function nodeHandler(endpoint: Pick<McpEndpoint, 'fetch'>): NodeHandler {
  checkKind('nodeHandler', 'the first argument', endpoint, having('an endpoint: mcpEndpoint(…)', 'fetch'));
  return contained(async (req, res, third?: unknown) => {
    // Servers on standard input and output, which import this file too, never need it.
    const { getRequestListener } = await import('@hono/node-server');
    const { url, auth }: Verified = req;
    req.url = originalUrl(req);
    const target = readTarget(req);
    if (!target) {
      if (!isHealthCheck(req)) return refuse(res);
      req.headers.host = 'localhost';
    }
    const parsedBody = bodyOf(req, third);
    const outgoing: Outgoing = {
      get headersSent() {
        return res.headersSent;
      },
      get destroyed() {
        return res.destroyed;
      },
      once: (event, listener) => res.once(event, listener),
      destroy: () => endConnection(req, res),
    };
    const context = {
      outgoing,
      ...(parsedBody !== undefined && { parsedBody }),
      ...(auth && { authInfo: auth }),
    };
    req.url = target?.path ?? HEALTH_PATH;
    const fetch = async (request: Request): Promise<Response> => {
      const response = await endpoint.fetch(request, context);
      // Whether the connection stays open is between Node and the client.
      response.headers.delete('connection');
      return response;
    };
    const sent = getRequestListener(fetch, { overrideGlobalObjects: false })(req, res);
    req.url = url;
    // A method of the response that somebody has wrapped may throw; its client must not wait.
    await sent.catch(() => res.destroy());
  });
}

/** HTTP/1.0 has no Host header, and load balancers such as HAProxy ask in it whether a replica takes requests. */
const isHealthCheck = ({ method, url, httpVersion, headers }: IncomingMessage): boolean =>
  method === 'GET' && url === HEALTH_PATH && httpVersion === '1.0' && headers.host === undefined;

/** Ends the connection of a response, and drops what the system still has to send on it. */
function endConnection({ httpVersionMajor, socket }: IncomingMessage, res: ServerResponse): void {
  // Requests of others, through a proxy, may share it.
  if (httpVersionMajor > 1) {
    res.destroy();
    return;
  }
  try {
    socket.resetAndDestroy();
  } catch {
    // It is not one of TCP itself.
    socket.destroy();
  }
}

function refuse(res: ServerResponse): void {
  const message = 'The request must name one host, in its Host header, and a path that begins with a slash.';
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message } });
  res.writeHead(400, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}
