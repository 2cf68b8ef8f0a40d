/** docs/mount.md: in Hono, with pages beside it. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { Hono } from 'hono';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid));

export const app = new Hono();
app.all('/mcp', context => endpoint.fetch(context.req.raw));
// #endregion
