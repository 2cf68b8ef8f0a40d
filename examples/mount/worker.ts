/** docs/mount.md: in a worker, where no process lives from one request to the next. */
// #region mount
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { paintServer } from './paint-server.ts';

const mid = midcall(); // the key is the secret MIDCALL_KEY
const allowedHosts = [process.env['PUBLIC_HOST'] ?? 'localhost'];
const endpoint = mcpEndpoint(() => paintServer(mid), { sessions: false, allowedHosts });

export default { fetch: (request: Request) => endpoint.fetch(request) };
// #endregion
