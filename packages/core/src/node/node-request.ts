/**
 * What a request of Node's HTTP server asks for: which host it names and which path, and what it was before a framework in front of
 * the handler changed it. Checking a host is meaningful only if a request names exactly one: with two Host headers, or a target
 * that names another host, different readers would pick different ones.
 */
import type { IncomingMessage } from 'node:http';

/** What a request line and its Host header say together. */
export interface RequestTarget {
  /** The Host header, as it was sent. */
  readonly host: string;
  /** The path and the query; begins with a slash. */
  readonly path: string;
}

const hostHeader = /^(?:\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d{1,5})?$/iu;

/** A path that keeps a URL parsable: with it, any host makes a valid URL that makes one without a path. */
const ordinaryPath = /^\/[\w~./-]*$/;

/** The last host that a URL can have: most requests to a server name the same one. */
let lastHost: string | undefined;

/** @returns undefined if the request names no host, several, or what cannot be read */
export function readTarget({ url = '', rawHeaders }: IncomingMessage): RequestTarget | undefined {
  const host = onlyHost(rawHeaders);
  if (host === undefined) return undefined;
  if (ordinaryPath.test(url)) return canHave(host) ? { host, path: url } : undefined;
  if (url.startsWith('/')) return URL.canParse(`http://${host}${url}`) ? { host, path: url } : undefined;
  // RFC 9112, 3.2.2: a server accepts the absolute form, too; its host must be the header's.
  if (!/^https?:\/\//iu.test(url) || !URL.canParse(url)) return undefined;
  const { protocol, host: targetHost, username, password, pathname, search } = new URL(url);
  const header = `${protocol}//${host}`;
  if (!URL.canParse(header) || new URL(header).host !== targetHost || username !== '' || password !== '')
    return undefined;
  return { host, path: `${pathname}${search}` };
}

function onlyHost(rawHeaders: readonly string[]): string | undefined {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return undefined;
    host = rawHeaders[at + 1]!;
  }
  return host !== undefined && (host === lastHost || hostHeader.test(host)) ? host : undefined;
}

function canHave(host: string): boolean {
  if (host === lastHost) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  lastHost = host;
  return true;
}

type FrameworkRequest = IncomingMessage & {
  /** The request target before routers mounted below a path removed their part. */
  readonly originalUrl?: unknown;
  /** What a body parser has read. */
  readonly body?: unknown;
};

/** The target as the client sent it, with the path below which a framework mounted the handler. */
export function originalUrl(req: FrameworkRequest): string {
  return typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '');
}

/**
 * The body, if a parser in front of the handler has read it.
 * @param passed - what the handler was given after the response. A function, such as Express's `next`, is ignored
 */
export function bodyOf(req: FrameworkRequest, passed: unknown): unknown {
  if (passed !== undefined && typeof passed !== 'function') return passed;
  // Parsers of Express 4 set an empty body for a request that they leave unread.
  return req.readableDidRead || req.readableEnded ? req.body : undefined;
}
