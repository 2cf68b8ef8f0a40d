/** A payment server: the person picks the account and confirms, the model never does. */

import type { Answer } from '@midcall/server';
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ledgerIn } from './ledger.ts';

export interface PaymentsOptions extends MidcallOptions {
  /** Milliseconds a person has to confirm a payment. */
  readonly confirmTimeoutMs?: number;
}

type Ledger = ReturnType<typeof ledgerIn>;

const wholeCents = (amount: number) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6;
/** One line the person can read: no control characters, none that reorder or hide text. */
const oneLine = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

const payment = z.strictObject({
  amount: z.number().positive().max(1_000_000).refine(wholeCents, 'At most two decimals').describe('Amount in USD'),
  recipient: z.string().trim().min(1).max(200).regex(oneLine).describe('Recipient name or email'),
});

// #region pay
const processPayment =
  (ledger: Ledger, timeoutMs: number) =>
  async ({ amount, recipient }: z.infer<typeof payment>, call: Call) => {
    const accounts = await call.step('accounts', async () =>
      (await ledger.accounts()).map(({ id, name }) => ({ const: id, title: `${name} (${id})` })),
    );
    if (accounts.length === 0) throw new Error('The ledger has no account to pay from.');
    const answer = await call.elicit({
      message: `You are about to send $${amount.toFixed(2)} to ${recipient}. Please confirm the payment account:`,
      form: {
        type: 'object',
        properties: {
          account_id: {
            type: 'string',
            description: 'Your account ID to debit (format: ACC-XXXXXXXX)',
            oneOf: accounts,
          },
          confirmed: { type: 'boolean', description: 'Confirm you want to proceed with this payment' },
        },
        required: ['account_id', 'confirmed'],
      },
      timeoutMs,
    });
    if (answer.action !== 'accept' || !answer.content.confirmed) return notPaid(answer);
    const accountId = answer.content.account_id;
    const transaction = await call.step(
      'pay',
      ({ key }) => ledger.pay({ key, accountId, recipient, cents: Math.round(amount * 100) }),
      { idempotent: true, effect: true },
    );
    return reply(`Payment ${transaction} processed successfully.`, { outcome: 'paid', transaction_id: transaction });
  };
// #endregion

// #region not-paid
function notPaid(answer: Answer<unknown>) {
  if (answer.action !== 'cancel') return reply('Payment declined - user did not confirm.', { outcome: 'declined' });
  const texts = {
    dismissed: 'Payment cancelled by user.',
    timeout: 'Payment not made: nobody confirmed it in time.',
    unfinished: 'Payment not made: the page was opened and not finished.',
    unavailable: 'Payment not made: this client cannot ask the user to confirm it.',
    invalid: 'Payment not made: the answers that came back did not fit the question.',
    suspect: 'Payment not made: the answer did not look like a person’s.',
    error: 'Payment not made: the question did not reach the user.',
  };
  return reply(texts[answer.reason], { outcome: answer.reason === 'dismissed' ? 'cancelled' : answer.reason });
}
// #endregion

export function paymentsServer(directory: string, { confirmTimeoutMs = 120_000, ...options }: PaymentsOptions = {}) {
  const mid = midcall(options);
  const ledger = ledgerIn(directory);
  return {
    factory() {
      const server = new McpServer({ name: 'example-payments', title: 'Payments', version: '1.0.0' });
      mid.tool(
        server,
        'process_payment',
        {
          title: 'Process a payment',
          description: 'Processes a payment transaction with user confirmation',
          inputSchema: payment,
          outputSchema: z.object({ outcome: z.string(), transaction_id: z.string().optional() }),
          annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
        },
        processPayment(ledger, confirmTimeoutMs),
      );
      // #region delete-record
      mid.tool(
        server,
        'delete_record',
        {
          title: 'Delete a record',
          description: 'Permanently deletes a record',
          inputSchema: z.strictObject({
            id: z.string().min(1).max(100),
            confirm: z.boolean().describe('Set true to confirm permanent deletion'),
          }),
          outputSchema: z.object({ outcome: z.string() }),
          annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
        },
        async ({ id, confirm }, call) => {
          if (!confirm)
            return { ...reply('Set confirm=true to proceed.', { outcome: 'not-confirmed' }), isError: true };
          await call.step('delete', () => ledger.deleteRecord(id), { effect: true });
          return reply(`Deleted ${id}`, { outcome: 'deleted' });
        },
      );
      // #endregion
      return server;
    },
  };
}

function reply(text: string, data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}
