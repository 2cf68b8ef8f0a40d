/** The server that every recipe of docs/mount.md mounts: one tool, one step, one question. */
import type { Midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';

export function paintServer(mid: Midcall): McpServer {
  const server = new McpServer({ name: 'paint', version: '1.0.0' });
  mid.tool(server, 'wall_paint', { annotations: { destructiveHint: false } }, async (_args, call) => {
    const wall = await call.step('measure', () => ({ metres: 12 }));
    const answer = await call.elicit({ message: `${wall.metres} m of wall. Which colour?`, form: ['red', 'green'] });
    const said = answer.action === 'accept' ? `Painted ${wall.metres} m ${answer.content}.` : 'Nothing was painted.';
    return { content: [{ type: 'text', text: said }] };
  });
  return server;
}
