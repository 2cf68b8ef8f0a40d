/** The tool of the migration pages on fastmcp, the TypeScript framework. */
import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';
import type { Refund, Shop } from './shop.ts';

export async function startFastMcp(shop: Shop): Promise<void> {
  // #region server
  const server = new FastMCP({ name: 'shop', version: '1.0.0' });

  server.addTool({
    name: 'orders_cancel',
    description: 'Cancels an order. The person picks it.',
    parameters: z.object({ customer: z.string() }),
    execute: async ({ customer }, { elicit }) => {
      const orders = shop.find(customer);
      if (orders.length === 0) throw new UserError(`${customer} has no open order.`);
      const picked = await elicit(
        {
          message: 'Which order shall be cancelled?',
          requestedSchema: {
            type: 'object',
            properties: {
              order: { type: 'string', oneOf: orders.map(({ id, label }) => ({ const: id, title: label })) },
            },
            required: ['order'],
          },
        },
        { timeout: 15 * 60_000 },
      );
      const order = orders.find(({ id }) => id === picked.content?.['order']);
      if (picked.action !== 'accept' || !order) return 'Nothing was cancelled.';
      const refund = await elicit(
        {
          message: `How shall the €${order.euros} for ${order.label} be returned?`,
          requestedSchema: {
            type: 'object',
            properties: {
              refund: {
                type: 'string',
                oneOf: [
                  { const: 'card', title: 'To the card' },
                  { const: 'voucher', title: 'As a voucher' },
                ],
              },
            },
            required: ['refund'],
          },
        },
        { timeout: 15 * 60_000 },
      );
      if (refund.action !== 'accept') return 'Nothing was cancelled.';
      const way = refund.content?.['refund'] as Refund;
      shop.cancel(order, way);
      return `Cancelled ${order.label}, €${order.euros} by ${way}.`;
    },
  });

  await server.start({ transportType: 'stdio' });
  // #endregion
}
