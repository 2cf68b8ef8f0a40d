/** The guide's tool written by hand for 2025-11-25: the server asks the client and waits. */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Shop, text } from './orders.ts';

export function shopServer(shop: Shop) {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  // #region tool
  server.registerTool(
    'orders_cancel',
    { inputSchema: z.object({ customer: z.string() }) },
    async ({ customer }, ctx) => {
      const found = shop.find(customer);
      if (found.length === 0) return text('No open order.');
      if (!server.server.getClientCapabilities()?.elicitation) return text('This client cannot ask you.');
      const answer = await ctx.mcpReq.elicitInput({
        message: 'Which order shall be cancelled?',
        requestedSchema: {
          type: 'object',
          properties: { order: { type: 'string', oneOf: found.map(each => ({ const: each.id, title: each.label })) } },
          required: ['order'],
        },
      });
      if (answer.action !== 'accept') return text('Nothing was cancelled.');
      const order = found.find(each => each.id === answer.content?.['order']);
      if (!order) return text('That is no order of theirs.');
      shop.cancel(order.id);
      return text(`Cancelled ${order.label}.`);
    },
  );
  // #endregion
  return server;
}
