/** Requests and responses of Node's HTTP as web-standard ones, which only a server over HTTP in Node needs. */
import { needed } from '@midcall/core/errors';

export const { getRequestListener } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server'),
  ['hono', '@hono/node-server'],
);

export const { RESPONSE_ALREADY_SENT } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server/utils/response'),
  ['hono', '@hono/node-server'],
);
