/** docs/mount.md: in Express 5, below a path and behind a body parser. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import express from 'express';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid), { path: '/api/mcp' });

export const app = express();
app.use(express.json({ limit: '4mb' }));
const api = express.Router();
api.all('/mcp', nodeHandler(endpoint));
app.use('/api', api);
// #endregion
