/** The test in docs/testing.md of a tool that asks others than the requester. */
// #region test
import { midcall } from '@midcall/server';
import { connectPair, eras, testInbox } from '@midcall/testing';
import { expect, it } from 'vitest';
import { paymentServer } from './approvers.ts';

it.each(eras)('%s: pays when two of finance agree', async era => {
  const paid: string[] = [];
  const bank = { pay: async (to: string, euros: number) => `${paid.push(`${euros} to ${to}`)}` };
  const inbox = testInbox({ groups: { finance: ['ada', 'ben', 'eve'] } });
  const mid = midcall({ inbox });
  await using pair = await connectPair(() => paymentServer(mid, bank), { era, tasks: true });

  const result = pair.client.callTool({ name: 'pay', arguments: { to: 'Acme', euros: 4000 } });
  await inbox.whenAsked(1);
  const yes = { action: 'accept', content: { value: true } } as const;
  inbox.vote('Pay 4000 € to Acme?', 'ada', yes);
  inbox.vote('Pay 4000 € to Acme?', 'ben', yes);

  expect((await result).content).toMatchObject([{ text: 'Paid, receipt 1. Approved by ada and ben.' }]);
  expect(paid).toEqual(['4000 to Acme']);
});
// #endregion
