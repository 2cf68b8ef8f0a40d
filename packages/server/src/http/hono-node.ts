/** Converts Node's HTTP requests and responses to web-standard ones, which only an HTTP server in Node needs. */
import { needed } from '@midcall/core/errors';

let loading: Promise<typeof import('@hono/node-server')> | undefined;

/** @throws MidcallError `server/setup` if the library is not installed, with the line that installs it */
export function honoNode(): Promise<typeof import('@hono/node-server')> {
  loading ??= needed('@midcall/server/node', '@hono/node-server', () => import('@hono/node-server'), [
    'hono',
    '@hono/node-server',
  ]);
  return loading;
}
