/** Converts Node's HTTP requests and responses to web-standard ones, which only an HTTP server in Node needs. */
import { needed } from '@midcall/core/errors';

export const { getRequestListener } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server'),
  ['hono', '@hono/node-server'],
);

const { RESPONSE_ALREADY_SENT } = await needed(
  '@midcall/server/node',
  '@hono/node-server',
  () => import('@hono/node-server/utils/response'),
  ['hono', '@hono/node-server'],
);

/**
 * Tells Hono's server that a response has been sent. It is a copy, since a copy is always of the platform's own class: if the
 * application has let Hono's server replace `Response`, the original is of that class, and Hono's server would send it again.
 */
export const responseAlreadySent: Response = RESPONSE_ALREADY_SENT.clone();
