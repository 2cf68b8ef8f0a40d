/** The guide's existing server: plain tools stay, one tool begins to ask. */

// #region wrap
import { type MidcallOptions, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
// #endregion
import { type Shop, text } from './orders.ts';

export function shopServer(shop: Shop, options: MidcallOptions = {}) {
  // #region wrap
  const mid = midcall(options);

  return () => {
    const server = mid.wrap(new McpServer({ name: 'shop', version: '1.0.0' })); // before the first registration
    registerPlainTools(server); // as they were
    mid.tool(
      server,
      'orders_cancel_all',
      { inputSchema: z.object({ customer: z.string() }) },
      async ({ customer }, call) => {
        const found = await call.step('find', () => shop.find(customer));
        const answer = await call.elicit({
          message: `Cancel all ${found.length} orders of ${customer}?`,
          form: { confirm: { type: 'boolean', title: 'Cancel all of them' } },
        });
        if (answer.action !== 'accept' || !answer.content.confirm) return text('Nothing was cancelled.');
        for (const order of found) await call.step(`cancel ${order.id}`, () => shop.cancel(order.id), { effect: true });
        return text(`Cancelled ${found.length} orders.`);
      },
    );
    return server;
  };
  // #endregion

  function registerPlainTools(server: McpServer): void {
    const inputSchema = z.object({ customer: z.string() });
    server.registerTool('orders_list', { inputSchema }, ({ customer }) => text(JSON.stringify(shop.find(customer))));
  }
}
