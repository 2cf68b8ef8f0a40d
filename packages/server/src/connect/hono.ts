/** Loads Hono, which only a server with pages needs. */
import { needed } from '@midcall/core/errors';

const entry = '@midcall/server/connect';
const both = ['hono', '@hono/node-server'];

export const { Hono } = await needed(entry, 'hono', () => import('hono'), both);
export const { getRequestListener } = await needed(entry, '@hono/node-server', () => import('@hono/node-server'), both);
