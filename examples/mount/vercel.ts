/** docs/mount.md: as a function of Vercel. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { paintServer } from './paint-server.ts';

const mid = midcall(); // the key is the environment variable MIDCALL_KEY
// Vercel names the domain of the project, and that of this deployment.
const { VERCEL_PROJECT_PRODUCTION_URL, VERCEL_URL } = process.env;
const allowedHosts = [VERCEL_PROJECT_PRODUCTION_URL, VERCEL_URL].filter(host => host !== undefined);
const endpoint = mcpEndpoint(() => paintServer(mid), { path: '/api/mcp', sessions: false, allowedHosts });

export default { fetch: (request: Request) => endpoint.fetch(request) };
// #endregion
