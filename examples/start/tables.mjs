/** The quick start's server: a restaurant's tables, and a question only the guest can answer. */
// #region tables

import { midcall, notDone } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const mid = midcall(); // once per process
const text = words => ({ content: [{ type: 'text', text: words }] });

export function tablesServer(free) {
  const server = new McpServer({ name: 'tables', version: '1.0.0' });
  mid.tool(
    server,
    'table_book',
    { description: 'Books a table for tonight.', inputSchema: z.object({ guests: z.number().int().positive() }) },
    async ({ guests }, call) => {
      const answer = await call.elicit({ message: `A table for ${guests} tonight. When?`, form: { time: free } });
      if (answer.action !== 'accept') return text(`Nothing was booked (${notDone(answer)}).`);
      await call.step('book', () => free.splice(free.indexOf(answer.content.time), 1), { effect: true });
      return text(`Booked for ${guests} at ${answer.content.time}.`);
    },
  );
  return server;
}
// #endregion
