/** A server whose calls survive the process that asks: a payment that is asked about once and made once, and a survey. */
import { type Jobs, type Midcall, midcall, type Wake } from '@midcall/server';
import type { Store } from '@midcall/server/stores/redis';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** What all replicas share. */
export interface SharedParts {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly wake: Wake;
  readonly ledger: Ledger;
}

export function fleetServer(shared: SharedParts): { readonly mid: Midcall; readonly factory: () => McpServer } {
  const { ledger, ...parts } = shared;
  const mid = midcall(parts);
  return { mid, factory: () => build(mid, ledger) };
}

function build(mid: Midcall, ledger: Ledger): McpServer {
  const server = new McpServer({ name: 'fleet', version: '1.0.0' });
  // #region charge
  const charge = { inputSchema: z.object({ amount: z.number().positive(), order: z.string().regex(/^\S+$/) }) };
  mid.tool(server, 'charge', charge, async ({ amount, order }, call) => {
    const answer = await call.elicit({
      message: `Charge ${amount} for order ${order}?`,
      form: { confirm: { type: 'boolean', title: 'Charge it' } },
    });
    if (answer.action !== 'accept' || !answer.content.confirm) return said(`Nothing was charged for order ${order}.`);
    // The order makes it safe to try again: it is entered once, however often this runs.
    await call.step('charge', () => ledger.enter(order, amount), { idempotent: true });
    return said(`Charged ${amount}.`);
  });
  // #endregion
  mid.tool(
    server,
    'survey',
    { inputSchema: z.object({ questions: z.number().int().min(1).max(100) }), annotations: { readOnlyHint: true } },
    async ({ questions }, call) => {
      const answers: string[] = [];
      for (let number = 1; number <= questions; number += 1) {
        const answer = await call.elicit({
          message: `Question ${number} of ${questions}?`,
          form: { answer: { type: 'string', title: 'Answer' } },
        });
        answers.push(answer.action === 'accept' ? answer.content.answer : answer.action);
      }
      return said(answers.map((answer, at) => `${at + 1}. ${answer}`).join('\n'));
    },
  );
  return server;
}
