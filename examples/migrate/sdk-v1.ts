/** The tool of the migration pages on SDK v1. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
import type { Refund, Shop } from './shop.ts';

export async function startSdkV1(shop: Shop): Promise<void> {
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  // #region server
  const server = new McpServer({ name: 'shop', version: '1.0.0' });

  server.registerTool(
    'orders_cancel',
    { description: 'Cancels an order. The person picks it.', inputSchema: { customer: z.string() } },
    async ({ customer }, extra) => {
      const orders = shop.find(customer);
      if (orders.length === 0) throw new Error(`${customer} has no open order.`);
      if (!server.server.getClientCapabilities()?.elicitation) return text('This client cannot ask you.');
      const within = { relatedRequestId: extra.requestId, signal: extra.signal, timeout: 15 * 60_000 };
      const picked = await server.server.elicitInput(
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
        within,
      );
      const order = orders.find(({ id }) => id === picked.content?.['order']);
      if (picked.action !== 'accept' || !order) return text('Nothing was cancelled.');
      const refund = await server.server.elicitInput(
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
        within,
      );
      if (refund.action !== 'accept') return text('Nothing was cancelled.');
      const way = refund.content?.['refund'] as Refund;
      shop.cancel(order, way);
      return text(`Cancelled ${order.label}, €${order.euros} by ${way}.`);
    },
  );

  await server.connect(new StdioServerTransport());
  // #endregion
}
