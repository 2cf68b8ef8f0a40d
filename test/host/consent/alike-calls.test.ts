/** Alike calls that wait together: which are one row, and what a yes to several of them lets run. */
import { type CallQuestion, foldAlike, Inbox, type Question, type Rule, Rules } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { consentMemory } from '../../../packages/host/src/rules/consent-storage.ts';
import { seeded } from '../../server/call/crash-claims.ts';
import { wired } from '../wire-server.ts';

const turn = () => new Promise(setImmediate);
const names = (fold: readonly Question[]): readonly unknown[] => fold.map(({ call }) => call?.arguments['n']);

describe.each(['2025-11-25', '2026-07-28'] as const)('in %s', era => {
  const host = async (list: () => readonly Rule[] = () => [{ server: 'notes', tools: '*', effect: 'ask' }]) => {
    const ran: unknown[] = [];
    const inbox = new Inbox();
    const on = await wired(era, {
      inbox,
      rules: new Rules({ rules: list, consent: consentMemory() }),
      tools: () => ['act', 'other'].map(name => ({ name, inputSchema: { type: 'object' } })),
      tool: async (_, { n }) => {
        ran.push(n);
        return { content: [] };
      },
    });
    const call = (n: unknown, { name = 'act', principal = 'ada' } = {}) =>
      on.attachment.run({ kind: 'tool', name, arguments: { n } }, { principal });
    const waiting = async (count: number): Promise<readonly Question[]> => {
      while (inbox.list().length < count) await turn();
      return inbox.list();
    };
    return { ran, inbox, call, waiting };
  };

  it('calls of one tool, by one requester, under one rule are one row; others are rows of their own', async () => {
    let list: readonly Rule[] = [{ server: 'notes', tools: '*', effect: 'ask' }];
    const on = await host(() => list);
    const calls = [on.call(1), on.call(2), on.call(3, { name: 'other' }), on.call(4, { principal: 'eve' })];
    await on.waiting(4);
    list = [{ server: 'notes', tools: '*', effect: 'ask', within: 1_000_000 }];
    calls.push(on.call(5));
    const rows = foldAlike(await on.waiting(5));
    expect(rows.map(names)).toEqual([[1, 2], [3], [4], [5]]);
    const [[first]] = rows as readonly [readonly [CallQuestion]];
    const renamed = { ...first, id: 'x', asker: { ...first.asker, id: 'elsewhere' } };
    const { alike: _, ...unnamed } = first;
    expect(foldAlike([first, renamed, { ...unnamed, id: 'y' }, { ...unnamed, id: 'z' }])).toHaveLength(4);
    const many = Array.from({ length: 51 }, (_, at) => ({ ...first, id: String(at) }));
    expect(foldAlike(many).map(({ length }) => length)).toEqual([50, 1]);
    for (const { id } of on.inbox.list()) await on.inbox.reply(id, { action: 'decline' }, 'test');
    await Promise.all(calls);
    expect(on.ran).toEqual([]);
  });

  it('approvals-A1: a yes to those that were shown, given twice and raced by a no and by calls that come, runs each of them at most once, and no other', async () => {
    const random = seeded(3);
    const on = await host();
    for (let round = 0; round < 60; round += 1) {
      const count = 1 + random(6);
      const calls = Array.from({ length: count }, (_, at) => on.call(`${round}-${at}`));
      const shown = await on.waiting(count);
      const late = on.call(`${round}-late`);
      const changed = on.call([`${round}-0`]);
      const all = await on.waiting(count + 2);
      const accept = () => Promise.all(shown.map(({ id }) => on.inbox.reply(id, { action: 'accept' }, 'web')));
      const no = shown[random(count) - 1]!;
      const [refused, ...accepted] = await Promise.all([
        on.inbox.reply(no.id, { action: 'decline' }, 'terminal'),
        ...(await Promise.all([accept(), accept()])).flat(),
      ]);
      expect(accepted.filter(({ ok }) => ok).length + (refused?.ok ? 1 : 0)).toBe(count);
      for (const { id } of all.slice(count)) await on.inbox.reply(id, { action: 'decline' }, 'test');
      await Promise.all([...calls, late, changed]);
      const own = on.ran.splice(0);
      expect(new Set(own).size, `round ${round}`).toBe(own.length);
      expect(own.length).toBe(accepted.filter(({ ok }) => ok).length);
      for (const each of own) expect(names(shown)).toContain(each);
    }
  });
});
