/** The guide's tool written by hand for 2026-07-28: a state machine that the client carries. */
import { createRequestStateCodec, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Order, type Shop, text } from './orders.ts';

export function shopServer(shop: Shop, key: Uint8Array) {
  // #region tool
  const codec = createRequestStateCodec<{ found: Order[] }>({
    key,
    bind: ctx => `${ctx.http?.authInfo?.clientId ?? ''} orders_cancel`,
  });
  const server = new McpServer({ name: 'shop', version: '1.0.0' }, { requestState: { verify: codec.verify } });

  server.registerTool(
    'orders_cancel',
    { inputSchema: z.object({ customer: z.string() }) },
    async ({ customer }, ctx) => {
      const state = ctx.mcpReq.requestState<{ found: Order[] }>();
      if (!state) {
        const found = shop.find(customer);
        if (found.length === 0) return text('No open order.');
        return ask(found);
      }
      const response = inputResponse(ctx.mcpReq.inputResponses, 'order');
      if (response.kind !== 'elicit') return ask(state.found);
      if (response.action !== 'accept') return text('Nothing was cancelled.');
      const order = state.found.find(each => each.id === response.content?.['order']);
      if (!order) return ask(state.found);
      shop.cancel(order.id);
      return text(`Cancelled ${order.label}.`);

      async function ask(found: Order[]) {
        return inputRequired({
          requestState: await codec.mint({ found }, ctx),
          inputRequests: {
            order: inputRequired.elicit({
              message: 'Which order shall be cancelled?',
              requestedSchema: {
                type: 'object',
                properties: {
                  order: { type: 'string', oneOf: found.map(each => ({ const: each.id, title: each.label })) },
                },
                required: ['order'],
              },
            }),
          },
        });
      }
    },
  );
  // #endregion
  return server;
}
