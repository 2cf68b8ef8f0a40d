/** The code of docs/elicitation.md for questions to others than the requester. */

// #region ask
import { approvers, type Midcall, whyNot } from '@midcall/server';
// #endregion
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface Bank {
  pay(to: string, euros: number, key: string): Promise<string>;
}

export function paymentServer(mid: Midcall, bank: Bank): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  // #region ask
  const payment = { inputSchema: z.object({ to: z.string(), euros: z.number() }) };
  mid.tool(server, 'pay', payment, async ({ to, euros }, call) => {
    const answer = await call.elicit({
      message: `Pay ${euros} € to ${to}?`,
      form: Boolean,
      from: approvers('finance', { count: 2, not: 'requester' }),
      timeoutMs: 3 * 24 * 60 * 60_000,
    });
    if (answer.action !== 'accept' || !answer.content) return `Nothing was paid: ${whyNot(answer)}`;
    const receipt = await call.step('pay', ({ key }) => bank.pay(to, euros, key), { idempotent: true });
    const people = answer.by.votes?.map(vote => vote.name ?? vote.subject).join(' and ');
    return `Paid, receipt ${receipt}. Approved by ${people}.`;
  });
  // #endregion
  return server;
}
