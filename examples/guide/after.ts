/** The guide's tool with Midcall: one function for both revisions. */

// #region tool
import { type MidcallOptions, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
// #endregion
import { type Shop, text } from './orders.ts';

export function shopServer(shop: Shop, options: MidcallOptions = {}) {
  // #region tool
  const mid = midcall(options); // once per process

  return () => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    mid.tool(
      server,
      'orders_cancel',
      { inputSchema: z.object({ customer: z.string() }) },
      async ({ customer }, call) => {
        const found = await call.step('find', () => shop.find(customer));
        if (found.length === 0) return text('No open order.');
        const answer = await call.elicit({
          message: 'Which order shall be cancelled?',
          form: {
            type: 'object',
            properties: {
              order: { type: 'string', oneOf: found.map(each => ({ const: each.id, title: each.label })) },
            },
            required: ['order'],
          },
        });
        if (answer.action !== 'accept') return text('Nothing was cancelled.');
        const order = found.find(each => each.id === answer.content.order)!;
        await call.step('cancel', () => shop.cancel(order.id), { effect: true });
        return text(`Cancelled ${order.label}.`);
      },
    );
    return server;
  };
  // #endregion
}
