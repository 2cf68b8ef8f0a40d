/** A request as the client sent it, after a framework of Node's in front of a handler has changed it. */
import type { IncomingMessage } from 'node:http';

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
