/** Converts Node's HTTP requests and responses to web-standard ones, which only an HTTP server in Node needs. */
import { needed } from '@midcall/core/errors';

export const { getRequestListener } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server'),
  ['hono', '@hono/node-server'],
);
