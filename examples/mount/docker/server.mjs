/** docs/mount.md: in a container. */
// #region serve
import { midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';

const mid = midcall(); // the key is the environment variable MIDCALL_KEY

function paintServer() {
  const server = new McpServer({ name: 'paint', version: '1.0.0' });
  mid.tool(server, 'wall_paint', { annotations: { destructiveHint: false } }, async (_args, call) => {
    const answer = await call.elicit({ message: 'Which colour?', form: ['red', 'green'] });
    return answer.action === 'accept' ? `Painted ${answer.content}.` : 'Nothing was painted.';
  });
  return server;
}

const { PORT = '3000', PUBLIC_HOST = 'localhost' } = process.env;
const serving = await serveHttp(paintServer, {
  host: '0.0.0.0', // the container's; which port of the machine leads to it is up to Compose
  port: Number(PORT),
  allowedHosts: [PUBLIC_HOST],
});
console.log(serving.url.href);
process.once('SIGTERM', () => serving.stop().finally(() => process.exit()));
// #endregion
