/**
 * Runs the code of docs/guide-migrate.md, and what docs/testing.md says of `explore`.
 *
 * @module-tag thorough
 */

import { connectPair, type Era, eras, scriptedPerson } from '@midcall/testing';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import '../../examples/guide/explore-long-form.ts';
import '../../examples/guide/explore-shop.ts';
import { shopServer as adopted } from '../../examples/guide/adopt.ts';
import { shopServer as after } from '../../examples/guide/after.ts';
import { shopServer as before2025 } from '../../examples/guide/before-2025.ts';
import { shopServer as before2026 } from '../../examples/guide/before-2026.ts';
import type { Shop } from '../../examples/guide/orders.ts';

function shopOf(): Shop & { readonly cancelled: string[] } {
  const cancelled: string[] = [];
  const orders = [
    { id: 'o1', label: 'Boots, 12 May' },
    { id: 'o2', label: 'Tent, 3 June' },
  ];
  return { cancelled, find: () => orders, cancel: id => void cancelled.push(id) };
}

const key = new Uint8Array(32).fill(7);

async function ask(
  factory: McpServerFactory,
  era: Era,
  tool: string,
  answer: Record<string, unknown>,
): Promise<string> {
  await using pair = await connectPair(factory, { era, person: scriptedPerson([answer]) });
  const result = await pair.client.callTool({ name: tool, arguments: { customer: 'Ada' } });
  return (result.content[0] as { text: string }).text;
}

const tent = { action: 'accept', content: { order: 'o2' } };

describe.each([
  ['by hand', '2026-07-28', (shop: Shop) => () => before2026(shop, key)],
  ['by hand', '2025-11-25', (shop: Shop) => () => before2025(shop)],
  ['by hand, in rounds,', '2025-11-25', (shop: Shop) => () => before2026(shop, key)],
  ['with Midcall', '2026-07-28', after],
  ['with Midcall', '2025-11-25', after],
] as const)('orders_cancel %s on %s', (_, era, server) => {
  it('the server of the guide cancels the order that was picked', async () => {
    const shop = shopOf();
    expect(await ask(server(shop), era, 'orders_cancel', tent)).toBe('Cancelled Tent, 3 June.');
    expect(shop.cancelled).toEqual(['o2']);
  });

  it('the server of the guide cancels nothing on a decline', async () => {
    const shop = shopOf();
    expect(await ask(server(shop), era, 'orders_cancel', { action: 'decline' })).toBe('Nothing was cancelled.');
    expect(shop.cancelled).toEqual([]);
  });
});

describe.each(eras)('a server with plain tools, %s', era => {
  it('a server with plain tools keeps them, and has one that asks', async () => {
    const shop = shopOf();
    expect(await ask(adopted(shop), era, 'orders_list', tent)).toContain('Boots');
    const yes = { action: 'accept', content: { confirm: true } };
    expect(await ask(adopted(shop), era, 'orders_cancel_all', yes)).toBe('Cancelled 2 orders.');
    expect(shop.cancelled).toEqual(['o1', 'o2']);
  });
});
