/** Hono, which only a server with pages needs. */
import { needed } from '@midcall/core/errors';

export const { Hono } = await needed('@midcall/server/connect', 'hono', () => import('hono'));
export const { getRequestListener } = await needed(
  '@midcall/server/connect',
  '@hono/node-server',
  () => import('@hono/node-server'),
);
