/**
 * HTTP on an address of this machine. Requests still come after a server was closed, on connections that were open by then: a
 * handler must not rely on what the server said of itself before.
 *
 * - listener-C1 Whatever a handler throws ends its request only, and is reported, unless the client left before its request had arrived;
 *   so is a connection that cannot be accepted.
 */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { visible } from '../text/index.ts';

/**
 * Milliseconds within which a request's head, and the whole request, must arrive. Node's own limits let half a body hold a connection
 * and its memory for five minutes.
 */
const requestLimits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 };

/** Handles a request of Node's HTTP server. */
export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** Where and how to listen. */
export interface HttpListenerOptions extends ServerOptions {
  /** 127.0.0.1 if absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** True if neither the server nor its connections may keep the process alive. */
  readonly unref?: boolean;
  /** Called with what a handler threw, and with errors of accepting; standard error if absent. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A server that listens. */
export interface HttpListener {
  readonly server: Server;
  /** Unlike `server.address()`, it is still there after the server was closed. */
  readonly port: number;
}

/**
 * Listens.
 * @throws the system's error if the address is not available
 */
export async function listenHttp(
  handle: RequestHandler,
  { host = '127.0.0.1', port, unref = false, onError = report, ...options }: HttpListenerOptions,
): Promise<HttpListener> {
  const server = createServer({ ...requestLimits, ...options }, contained(handle, onError));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', onError);
  if (unref) server.unref().on('connection', socket => socket.unref());
  return { server, port: (server.address() as AddressInfo).port };
}

/** Wraps a handler so that it never throws and never rejects (listener-C1). */
export function contained<Rest extends readonly unknown[]>(
  handle: (req: IncomingMessage, res: ServerResponse, ...rest: Rest) => void | Promise<void>,
  onError: (error: Error) => void = report,
): (req: IncomingMessage, res: ServerResponse, ...rest: Rest) => Promise<void> {
  return async (req, res, ...rest) => {
    try {
      await handle(req, res, ...rest);
    } catch (cause) {
      if (res.headersSent) res.destroy();
      else res.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end('This request failed.\n');
      // Whoever leaves before their request has arrived has made nothing fail, and could fill a log.
      if (req.destroyed && !req.complete) return;
      try {
        onError(cause instanceof Error ? cause : new Error(String(cause)));
      } catch (error) {
        report(error);
      }
    }
  };
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`midcall: ${visible(text, { lines: true, max: 4_000 })}`);
}
