/** The code of docs/elicitation.md on cards: the word `'card'` is all that a server needs. */
import { type MidcallOptions, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export function paintServer(options: MidcallOptions = {}) {
  // #region cards
  const mid = midcall({ ...options, channels: ['native', 'card'] });
  // #endregion
  return () => {
    const server = new McpServer({ name: 'paint', version: '1.0.0' });
    mid.tool(server, 'wall_paint', { inputSchema: z.object({ wall: z.string() }) }, async ({ wall }, call) => {
      const answer = await call.elicit({ message: `Which colour for the ${wall} wall?`, form: ['red', 'green'] });
      if (answer.action !== 'accept') return `The ${wall} wall stays as it is.`;
      return `The ${wall} wall is ${answer.content} (${answer.by.channel}).`;
    });
    return server;
  };
}
