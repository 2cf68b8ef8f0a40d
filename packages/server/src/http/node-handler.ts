/** An endpoint in a Node server: a plain one, or that of a framework that uses Node's requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, contained, originalUrl, readTarget } from '@midcall/core/node';
import { checkGiven, having } from '@midcall/core/options';
import type { AuthInfo } from '@modelcontextprotocol/server';
import {
  allowsDirect,
  type DirectSender,
  type EventStream,
  type EventStreamHead,
  sendsDirectly,
  type UnreadLimit,
  type WholeAnswer,
} from './direct-sender.ts';
import type { McpEndpoint } from './endpoint.ts';
import { getRequestListener, responseAlreadySent } from './hono-node.ts';

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
 */
export function nodeHandler(endpoint: Pick<McpEndpoint, 'fetch'>): NodeHandler {
  checkGiven('nodeHandler', 'the first argument', endpoint, having('an endpoint: mcpEndpoint(…)', 'fetch'));
  return contained(async (req, res, third?: unknown) => {
    const { url, auth }: Verified = req;
    req.url = originalUrl(req);
    const target = readTarget(req);
    if (!target) return refuse(res);
    const parsedBody = bodyOf(req, third);
    const sender = new NodeSender(res);
    const context = {
      ...(parsedBody !== undefined && { parsedBody }),
      ...(auth && { authInfo: auth }),
      ...(allowsDirect(endpoint.fetch) && { [sendsDirectly]: sender }),
    };
    req.url = target.path;
    const sent = getRequestListener(request => endpoint.fetch(request, context), { overrideGlobalObjects: false })(
      req,
      res,
    );
    req.url = url;
    await sent;
    await sender.streaming;
  });
}

/** Sends through a Node response; data for a client that has gone is dropped. */
class NodeSender implements DirectSender {
  readonly #res: ServerResponse;
  /** Resolves when a stream has ended; absent if there is none. */
  streaming: Promise<void> | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  whole({ status, headers, text }: WholeAnswer): Response {
    this.#begin(() => this.#res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text));
    return responseAlreadySent;
  }

  stream({ headers, events }: EventStreamHead, ended: () => void, limit: UnreadLimit | undefined): EventStream {
    const res = this.#res;
    let isOver = false;
    let settle = (): void => {};
    this.streaming = new Promise(resolve => {
      settle = resolve;
    });
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      res.off('close', over);
      settle();
      ended();
    };
    res.on('close', over);
    const hasBegun = this.#begin(() => {
      res.writeHead(200, headers);
      if (events === '') res.flushHeaders();
      else res.write(events);
    });
    if (!hasBegun || res.destroyed) over();
    return {
      response: responseAlreadySent,
      write: text => {
        if (isOver) return;
        if (res.writableEnded) return over();
        if (!limit || res.writableLength < limit.mostBytes) return void res.write(text);
        res.destroy();
        over();
        limit.onCut();
      },
      end: () => {
        if (isOver) return;
        res.end();
        over();
      },
    };
  }

  /** @returns false if something in front of the endpoint has already answered, such as a request timeout */
  #begin(send: () => void): boolean {
    const res = this.#res;
    if (res.headersSent || res.writableEnded) return false;
    try {
      send();
      return true;
    } catch {
      // A patched method may throw; the caller has no response that it could replace.
      res.destroy();
      return false;
    }
  }
}

function refuse(res: ServerResponse): void {
  const message = 'The request must name one host, in its Host header, and a path that begins with a slash.';
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message } });
  res.writeHead(400, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}
