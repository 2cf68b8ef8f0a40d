/** An endpoint in a Node server: plain, or that of a framework whose requests are Node's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readTarget } from '@midcall/core/node';
import { checkGiven, having } from '@midcall/core/options';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { McpEndpoint } from './endpoint.ts';
import { getRequestListener, RESPONSE_ALREADY_SENT } from './hono-node.ts';
import { allowsWhole, type SendWhole, sendWhole } from './whole-answer.ts';

/** What others put on a request before it gets here. */
type Prepared = IncomingMessage & {
  /** Express: the request target before routers below a path took their part of it. */
  readonly originalUrl?: unknown;
  /** What a body parser has read. */
  readonly body?: unknown;
  /** What the SDK's middleware for Express has verified. */
  readonly auth?: AuthInfo;
};

/**
 * Serves an endpoint's requests in a Node server.
 * @param parsedBody - what a body parser has read, where it is not in `req.body`. A function, such as Express's `next`, is
 *   none
 * @returns when the response has been sent; never rejects
 */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, parsedBody?: unknown) => Promise<void>;

/**
 * An endpoint as a handler of Node's requests. Who sends a request is read from `req.auth`, where the endpoint has no
 * `authenticate`.
 * @param endpoint - what `mcpEndpoint` gave
 */
export function nodeHandler(endpoint: Pick<McpEndpoint, 'fetch'>): NodeHandler {
  checkGiven('nodeHandler', 'the first argument', endpoint, having('an endpoint: mcpEndpoint(…)', 'fetch'));
  return async (req, res, third) => {
    const { originalUrl, body, auth }: Prepared = req;
    const { url } = req;
    if (typeof originalUrl === 'string') req.url = originalUrl;
    const target = readTarget(req);
    if (!target) return refuse(res);
    const parsedBody = third === undefined || typeof third === 'function' ? body : third;
    const send: SendWhole = answer => {
      const { status, headers, text } = answer;
      // One whose client has gone is sent to nobody.
      res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
      return RESPONSE_ALREADY_SENT;
    };
    const context = {
      ...(parsedBody !== undefined && { parsedBody }),
      ...(auth && { authInfo: auth }),
      ...(allowsWhole(endpoint.fetch) && { [sendWhole]: send }),
    };
    req.url = target.path;
    const sent = getRequestListener(request => endpoint.fetch(request, context), { overrideGlobalObjects: false })(
      req,
      res,
    );
    req.url = url;
    await sent;
  };
}

function refuse(res: ServerResponse): void {
  const message = 'The request must name one host, in its Host header, and a path that begins with a slash.';
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message } });
  res.writeHead(400, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}
