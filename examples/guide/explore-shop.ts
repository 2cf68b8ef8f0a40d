/** The guide's proof: every outcome of the question, in both revisions. */
// #region explore
import { type ExploredTool, explore } from '@midcall/testing';
import { expect, it } from 'vitest';
import { shopServer } from './after.ts';

it('orders_cancel takes every answer', async () => {
  const shop = {
    find: () => [
      { id: 'o1', label: 'Boots' },
      { id: 'o2', label: 'Tent' },
    ],
    cancel() {},
  };
  const tool: ExploredTool = { name: 'orders_cancel', server: options => shopServer(shop, options) };

  const report = await explore(tool, { customer: 'Ada' });

  expect(report.findings, report.text).toEqual([]);
});
// #endregion
