/**
 * The page server of a server that has no web address of its own: on this machine only, on a random port, started when the
 * first page is needed and closed when no page is open any more. Whether the person can reach it is judged beforehand.
 *
 * - page-server-P1 It listens on 127.0.0.1, and answers only to its own Host, so that a name rebound to 127.0.0.1 gets
 *   nothing.
 * - page-server-P2 It keeps no process alive, whatever is connected.
 * - page-server-P3 A request that does not end is cut off.
 * - page-server-P4 A browser sends 127.0.0.1 the cookies of every server that ever ran on any port: there is room for them.
 */
import { MidcallError } from '@midcall/core/errors';
import { type HttpListener, listenHttp, type RequestHandler, readTarget } from '@midcall/core/node';
import { type Clock, MAX_TIMER_MS } from '@midcall/core/time';

/** How to judge from the environment whether a page on this machine can be reached. */
export interface ReachOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if the process runs in a container. */
  readonly container: boolean;
}

/**
 * Whether the person can reach a page on this machine's loopback, and how.
 *
 * A link to 127.0.0.1 means the machine the browser runs on. Over SSH and in a container that is a different machine, so the
 * link comes with instructions for making it lead here; if nobody is there at all (CI), no page is offered.
 */
export type Reach =
  /** `browser`: a browser can be started from here. */
  | { readonly kind: 'here'; readonly browser: boolean }
  | { readonly kind: 'elsewhere'; readonly how: 'ssh' | 'container' }
  | { readonly kind: 'nobody'; readonly why: string };

/**
 * Judges from the environment whether a page on loopback reaches the person.
 * @example
 * ```ts
 * reach({ environment: { SSH_TTY: '/dev/pts/0' }, platform: 'linux', container: false }); // { kind: 'elsewhere', how: 'ssh' }
 * ```
 */
export function reach({ environment, platform, container }: ReachOptions): Reach {
  const set = (name: string): boolean => {
    const value = environment[name];
    return value !== undefined && value !== '' && value !== '0' && value !== 'false';
  };
  if (set('CI')) return { kind: 'nobody', why: 'it runs in CI, where nobody can open a page' };
  if (container || set('KUBERNETES_SERVICE_HOST')) return { kind: 'elsewhere', how: 'container' };
  if (set('SSH_CONNECTION') || set('SSH_TTY') || set('SSH_CLIENT')) return { kind: 'elsewhere', how: 'ssh' };
  const display = platform === 'darwin' || platform === 'win32' || set('DISPLAY') || set('WAYLAND_DISPLAY');
  return { kind: 'here', browser: display };
}

/** What the person must do before a link to this port works; undefined if it works as it is. */
export function reachNote(where: Reach, port: number): string | undefined {
  if (where.kind !== 'elsewhere') return undefined;
  return where.how === 'ssh'
    ? `The server runs on another machine: first forward the port there with ssh -L ${port}:127.0.0.1:${port} <host>.`
    : `The server runs in a container: the link works only where its port ${port} is forwarded to the machine your browser runs on.`;
}

export interface PageServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly clock: Clock;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Milliseconds for which the server stays open after the last page's time, to show its outcome. */
const LINGER_MS = 60_000;
/** The maximum size of a request's head in bytes (page-server-P4). */
const maxHeaderSize = 131_072;

const textType = { 'content-type': 'text/plain; charset=utf-8' };

export class PageServer {
  readonly #options: PageServerOptions;
  #http: HttpListener | undefined;
  #starting: Promise<number> | undefined;
  readonly #open = new Map<string, number>();
  #stopTimer: (() => void) | undefined;

  constructor(options: PageServerOptions) {
    this.#options = options;
  }

  /** The port it listens on, or undefined if it does not. */
  get port(): number | undefined {
    return this.#http?.port;
  }

  /**
   * Listens for a page until it is released, or its time is up.
   * @param until - milliseconds since the epoch
   * @returns the port
   * @throws MidcallError `connect/unavailable` if no port can be had
   */
  async listen(pageId: string, until: number): Promise<number> {
    this.#open.set(pageId, until);
    this.#starting ??= this.#start();
    try {
      const port = await this.#starting;
      this.#watch();
      return port;
    } catch (cause) {
      this.#starting = undefined;
      const portInUse = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const why = portInUse
        ? `port ${this.#options.port} is in use by another process. Omit connect's port, or give each server its own`
        : 'this process may not listen on 127.0.0.1';
      throw new MidcallError('connect/unavailable', `No page can be served: ${why}.`, { cause });
    }
  }

  /** Releases a page, which then needs the server only to show its outcome. */
  release(pageId: string): void {
    if (this.#open.delete(pageId)) this.#watch();
  }

  async close(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const http = this.#http;
    this.#http = undefined;
    this.#starting = undefined;
    if (!http) return;
    const closed = new Promise(resolve => http.server.close(resolve));
    http.server.closeAllConnections();
    await closed;
  }

  async #start(): Promise<number> {
    const { getRequestListener } = await import('@hono/node-server');
    const listener = getRequestListener(request => this.#options.fetch(request), { overrideGlobalObjects: false });
    const handle: RequestHandler = async (req, res) => {
      const { port } = http;
      const target = readTarget(req);
      if (!target) return void res.writeHead(400, textType).end('The request does not name one host and a path.\n');
      const { host, path } = target;
      req.url = path;
      if (host === `127.0.0.1:${port}`) return void (await listener(req, res));
      // Somebody typed the address. A page is only shown at the one name from which its form can be sent.
      if (host === `localhost:${port}` && req.method === 'GET') {
        return void res.writeHead(307, { location: `http://127.0.0.1:${port}${path}` }).end();
      }
      res.writeHead(403, textType).end('This page answers only at 127.0.0.1.\n');
    };
    const http = await listenHttp(handle, { maxHeaderSize, port: this.#options.port, unref: true });
    this.#http = http;
    return http.port;
  }

  #watch(): void {
    this.#stopTimer?.();
    if (!this.#http) return;
    const now = this.#options.clock.now();
    for (const [pageId, until] of this.#open) if (until <= now) this.#open.delete(pageId);
    const idle = this.#open.size === 0;
    const wait = idle ? LINGER_MS : Math.min(...this.#open.values()) - now;
    const next = () => {
      if (idle) void this.close();
      else this.#watch();
    };
    this.#stopTimer = this.#options.clock.after(Math.max(1, Math.min(wait, MAX_TIMER_MS)), next);
  }
}
