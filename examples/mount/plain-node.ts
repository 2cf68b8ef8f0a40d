/** docs/mount.md: in a server of Node's own. */
// #region mount
import { createServer } from 'node:http';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid));
const handle = nodeHandler(endpoint);

export const server = createServer((req, res) => {
  if (req.url === '/healthy') res.end('yes\n');
  else void handle(req, res);
});
// #endregion
