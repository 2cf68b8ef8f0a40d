/** The balancer where there is no haproxy: each request goes to the next replica. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly port: number;
  stop(): void;
}

/** How long a request waits for a replica that restarts, in milliseconds, and how often it tries. */
const TIMEOUT_MS = 30_000;
const PAUSE_MS = 200;

/** @param port - a free one */
export async function startBalancer(port: number, replicas: readonly number[]): Promise<Balancer> {
  let next = 0;
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    for (const until = Date.now() + TIMEOUT_MS; ; ) {
      const replica = replicas[next % replicas.length]!;
      next += 1;
      const once = req.headers['mcp-protocol-version'] === '2026-07-28' && !body.includes('"requestState"');
      const done = await forward(req, res, body, { port: replica, once });
      if (done || Date.now() > until) break;
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
    }
    if (!res.headersSent) res.writeHead(503, { 'retry-after': '1' }).end();
  });
  server.requestTimeout = 0;
  await new Promise<void>(resolve => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param to - `once`: a call that begins and stands alone, which a replica that died may have begun
 * @returns false where it may be sent to another replica
 */
function forward(
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  { port, once }: { readonly port: number; readonly once: boolean },
): Promise<boolean> {
  return new Promise(resolve => {
    const { method, url, headers } = req;
    const forwarded = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, response => {
      if (response.statusCode === 503) {
        response.resume();
        return resolve(false);
      }
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
      response.once('aborted', () => res.destroy());
      resolve(true);
    });
    res.once('close', () => forwarded.destroy());
    forwarded.once('error', error => {
      const { code } = error as NodeJS.ErrnoException;
      if (res.headersSent) res.destroy();
      resolve(res.headersSent || res.destroyed || (once && code !== 'ECONNREFUSED'));
    });
    forwarded.end(body);
  });
}
