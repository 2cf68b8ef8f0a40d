/** A server that pays only if two others agree: people of a group, who answer in their inboxes. */
import { approvers, type Call, type Midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Something that was paid. */
export interface Payment {
  readonly amount: number;
  readonly to: string;
  /** Who agreed, as the issuer names them. */
  readonly agreed: readonly string[];
}

const payment = z.strictObject({
  amount: z.number().positive().max(1_000_000).describe('Amount in EUR'),
  to: z.string().trim().min(1).max(200).describe('Who gets it'),
});

/** @param pay - called once for each payment that was agreed on */
export function approvalsServer(mid: Midcall, pay: (payment: Payment) => void): McpServer {
  const server = new McpServer({ name: 'payments', title: 'Payments', version: '1.0.0' });
  mid.tool(
    server,
    'pay',
    {
      title: 'Pay somebody',
      description: 'Pays an amount, once two people of finance who did not ask for it have agreed',
      inputSchema: payment,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    // #region pay
    async ({ amount, to }: z.infer<typeof payment>, call: Call) => {
      const answer = await call.elicit({
        message: `Pay ${amount.toFixed(2)} EUR to ${to}?`,
        form: z.object({}), // agree or decline, and nothing to fill in
        from: approvers('finance', { count: 2, not: 'requester' }),
        // A passkey, for this question: nobody who has only their session can agree to a large amount.
        assurance: amount < 10_000 ? 'verified' : 'present',
      });
      if (answer.action !== 'accept') return text('Nothing was paid: finance did not agree.');
      const agreed = (answer.by.votes ?? []).map(({ subject }) => subject);
      await call.step('pay', () => pay({ amount, to, agreed }), { effect: true });
      return text(`Paid. ${agreed.join(' and ')} agreed.`);
    },
    // #endregion
  );
  return server;
}

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
