/** The tools of the server. One of them asks the person what only they know. */
import { whyNot } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * @param {import('@midcall/server').Midcall} mid - one for the whole process
 * @param {string[]} free - the hours that are still free
 */
export function tablesServer(mid, free) {
  const server = new McpServer({ name: 'tables', version: '1.0.0' });
  mid.tool(
    server,
    'table_book',
    { description: 'Books a table for tonight.', inputSchema: z.object({ guests: z.number().int().positive() }) },
    async ({ guests }, call) => {
      const answer = await call.elicit({ message: `A table for ${guests} tonight. When?`, form: { time: free } });
      if (answer.action !== 'accept') return `Nothing was booked: ${whyNot(answer)}`;
      const { time } = answer.content;
      await call.step('book', () => void free.splice(free.indexOf(time), 1), { effect: true });
      return `Booked for ${guests} at ${time}.`;
    },
  );
  return server;
}
