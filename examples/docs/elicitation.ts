/** The code of docs/elicitation.md: one tool for each thing the page shows. */

import { form, type Midcall, whyNot } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export interface Shop {
  cancel(order: string): void;
  terms(order: string): string;
  accept(order: string, digest: string | undefined): void;
}

// #region forms
const written = {
  type: 'object',
  properties: {
    reason: { type: 'string', title: 'Reason', maxLength: 200 },
    refund: {
      type: 'string',
      title: 'Refund',
      oneOf: [
        { const: 'card', title: 'To the card you paid with' },
        { const: 'voucher', title: 'As a voucher' },
      ],
    },
    sure: { type: 'boolean', title: 'Cancel the order' },
  },
  required: ['refund', 'sure'],
} as const;

const withZod = z.object({
  reason: z.string().max(200).optional().meta({ title: 'Reason' }),
  refund: z.enum(['card', 'voucher']).meta({ title: 'Refund' }),
  sure: z.boolean().meta({ title: 'Cancel the order' }),
});

const brief = { reason: String, refund: ['card', 'voucher'], sure: Boolean } as const; // all required
// #endregion

export const forms = { written, withZod, brief };

// #region titles
const titled = {
  reason: { type: 'string', title: 'Reason', maxLength: 200 }, // one field, as in a JSON Schema
  refund: { card: { title: 'To the card you paid with' }, voucher: { title: 'As a voucher' } }, // picks one
  keep: [{ meal: { title: 'The meal' }, bag: { title: 'The bag' } }], // picks any number
  sure: Boolean, // labelled with its name
} as const;

// #endregion
export { titled };

// #region once
const refundForm = form(withZod); // throws here if the form is not supported
// #endregion

export function shopServer(mid: Midcall, shop: Shop) {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const inputSchema = z.object({ order: z.string() });

  mid.tool(
    server,
    'order_drop',
    { inputSchema, annotations: { destructiveHint: true } },
    // #region ask
    async ({ order }, call) => {
      const answer = await call.elicit({ message: `Cancel order ${order}?`, form: Boolean });
      if (answer.action !== 'accept' || !answer.content) return text(`The order stands: ${whyNot(answer)}`);
      await call.step('cancel', () => shop.cancel(order), { effect: true });
      return text(`Cancelled order ${order}.`);
    },
    // #endregion
  );

  mid.tool(
    server,
    'order_cancel',
    { inputSchema, annotations: { destructiveHint: true } },
    // #region fields
    async ({ order }, call) => {
      const answer = await call.elicit({ message: `Cancel order ${order}?`, form: refundForm });
      if (answer.action !== 'accept' || !answer.content.sure) return text(`The order stands: ${whyNot(answer)}`);
      await call.step('cancel', () => shop.cancel(order), { effect: true });
      return text(`Cancelled; refund by ${answer.content.refund}.`);
    },
    // #endregion
  );

  mid.tool(
    server,
    'orders_list',
    { annotations: { readOnlyHint: true } },
    // #region fallback
    async (_args, call) => {
      const answer = await call.elicit({
        message: 'Which orders?',
        form: ['open', 'all'],
        fallback: 'open', // only in a tool that destroys nothing
      });
      if (answer.action !== 'accept') return text('No list: they closed the question.');
      return text(`Listing ${answer.content} orders${answer.by.channel === 'fallback' ? ' (nobody was asked)' : ''}.`);
    },
    // #endregion
  );

  mid.tool(
    server,
    'orders_purge',
    { annotations: { destructiveHint: true } },
    // #region required
    async (_args, call) => {
      const answer = await call.elicit({ message: 'Delete every order?', form: Boolean, required: true });
      return text(answer.action === 'accept' && answer.content ? 'Purged.' : 'Kept.');
    },
    // #endregion
  );

  mid.tool(
    server,
    'order_note',
    { inputSchema, annotations: { destructiveHint: false } },
    // #region leave-out
    async ({ order }, call) => {
      if (!call.can.form) return text(`Saved ${order} without a note.`);
      const answer = await call.elicit({ message: 'A note for the courier?', form: String });
      return text(answer.action === 'accept' ? `Saved ${order}: ${answer.content}` : `Saved ${order} without a note.`);
    },
    // #endregion
  );

  mid.tool(
    server,
    'order_ship',
    { inputSchema, annotations: { destructiveHint: true } },
    // #region relay
    async ({ order }, call) => {
      const answer = await call.elicit({
        message: `Ship order ${order} today?`,
        form: Boolean,
        channels: ['native', 'relay'], // midcall({ channels }) must enable the relay, too
      });
      if (answer.action !== 'accept' || !answer.content) return text('Not shipped.');
      return text(`Shipped, on the word of ${answer.by.assurance === 'relayed' ? 'the model' : 'the host'}.`);
    },
    // #endregion
  );

  mid.tool(
    server,
    'order_terms',
    { inputSchema, annotations: { destructiveHint: true } },
    // #region details
    async ({ order }, call) => {
      const terms = await call.step('read', () => shop.terms(order)); // may be long
      const answer = await call.elicit({ message: 'Accept these terms?', form: Boolean, details: terms });
      if (answer.action !== 'accept' || !answer.content) return text('The terms were not accepted.');
      await call.step('accept', () => shop.accept(order, answer.by.seen), { effect: true }); // the SHA-256 of `terms`
      return text('Accepted.');
    },
    // #endregion
  );

  mid.tool(
    server,
    'order_slot',
    { inputSchema, annotations: { destructiveHint: false } },
    // #region validate
    async ({ order }, call) => {
      const full = new Set(['09:00', '10:00']); // what the server knows now
      const answer = await call.elicit({
        message: `When may ${order} come?`,
        form: { slot: { type: 'string', title: 'Time' }, floor: { type: 'number', title: 'Floor' } },
        validate: ({ slot }) => (full.has(slot) ? { slot: `${slot} is full. Choose another.` } : undefined),
      });
      return answer.action === 'accept' ? `Comes at ${answer.content.slot}.` : 'No time was chosen.';
    },
    // #endregion
  );
  return server;
}
