/** docs/mount.md: as the route handler of `/api/mcp` in Next.js. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { paintServer } from './paint-server.ts';

const mid = midcall();
const endpoint = mcpEndpoint(() => paintServer(mid), { path: '/api/mcp' });
const serve = (request: Request) => endpoint.fetch(request);

export { serve as DELETE, serve as GET, serve as POST };
// #endregion
