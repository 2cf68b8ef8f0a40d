/** The tool of the migration pages with Midcall. */
// #region server
import { midcall } from '@midcall/server';
import { serveStdio } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
// #endregion
import type { Shop } from './shop.ts';

export function startMidcall(shop: Shop): void {
  // #region server
  const mid = midcall(); // once per process

  function shopServer() {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    mid.tool(
      server,
      'orders_cancel',
      { description: 'Cancels an order. The person picks it.', inputSchema: z.object({ customer: z.string() }) },
      async ({ customer }, call) => {
        const orders = await call.step('find', () => shop.find(customer));
        if (orders.length === 0) throw new Error(`${customer} has no open order.`);
        const picked = await call.elicit({
          message: 'Which order shall be cancelled?',
          form: Object.fromEntries(orders.map(({ id, label }) => [id, { title: label }])),
        });
        if (picked.action !== 'accept') return 'Nothing was cancelled.';
        const order = orders.find(({ id }) => id === picked.content)!;
        const refund = await call.elicit({
          message: `How shall the €${order.euros} for ${order.label} be returned?`,
          form: { card: { title: 'To the card' }, voucher: { title: 'As a voucher' } },
        });
        if (refund.action !== 'accept') return 'Nothing was cancelled.';
        await call.step('cancel', () => shop.cancel(order, refund.content), { effect: true });
        return `Cancelled ${order.label}, €${order.euros} by ${refund.content}.`;
      },
    );
    return server;
  }

  serveStdio(shopServer);
  // #endregion
}
