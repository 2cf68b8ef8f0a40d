/** Requests and responses of Node's HTTP as web-standard ones, which only a server over HTTP in Node needs. */
import { needed } from '@midcall/core/errors';

export const { getRequestListener } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server'),
  ['hono', '@hono/node-server'],
);
