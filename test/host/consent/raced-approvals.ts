/** Approvals that are changed, raced and replayed, in two hosts that share a storage as two processes do. */
import { type Era, Inbox, type Question, type Rule, Rules } from '@midcall/host';
import { expect } from 'vitest';
import { consentMemory } from '../../../packages/host/src/rules/consent-storage.ts';
import { seeded } from '../../server/call/crash-claims.ts';
import { handClock } from '../clock.ts';
import { wired } from '../wire-server.ts';

const turn = () => new Promise(setImmediate);

/** Makes `count` held calls, each in a way that is drawn. None runs without a yes that is for it, and none twice for one yes. */
export async function raceApprovals(era: Era, count: number, random = seeded(5)): Promise<void> {
  const ran = new Map<number, number>();
  const consent = consentMemory();
  const clock = handClock();
  let description = 0;
  let list: readonly Rule[] = [{ server: 'notes', tools: '*', effect: 'ask' }];
  const host = () => {
    const inbox = new Inbox();
    return wired(era, {
      inbox,
      clock,
      rules: new Rules({ rules: () => list, consent }),
      tools: () => [{ name: 'act', description: `Version ${description}`, inputSchema: { type: 'object' } }],
      tool: async (_, { n }) => {
        ran.set(n as number, (ran.get(n as number) ?? 0) + 1);
        return { content: [] };
      },
    });
  };
  const hosts = [await host(), await host()] as const;
  let n = 0;

  const call = (
    at: 0 | 1,
    args: object = {},
    how: { readonly signal?: AbortSignal; readonly principal?: string } = {},
  ) => hosts[at].attachment.run({ kind: 'tool', name: 'act', arguments: { n, ...args } }, how);
  const asked = async (at: 0 | 1, questions = 1): Promise<readonly Question[]> => {
    while (hosts[at].inbox.list().length < questions) await turn();
    return hosts[at].inbox.list();
  };
  const accept = (at: 0 | 1, { id }: Question) => hosts[at].inbox.reply(id, { action: 'accept' }, 'test');
  /** The person says no to everything until these calls have ended. */
  const declined = async (...calls: readonly Promise<unknown>[]): Promise<void> => {
    let isOver = false;
    const all = Promise.allSettled(calls).then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const { inbox } of hosts)
        for (const { id } of inbox.list()) await inbox.reply(id, { action: 'decline' }, 'test');
      await turn();
    }
    await all;
  };
  /** A yes that comes when its caller has gone. */
  const lateYes = async (): Promise<void> => {
    const gone = new AbortController();
    const first = call(0, {}, { signal: gone.signal }).catch(() => {});
    const [question] = await asked(0);
    gone.abort();
    await first;
    await accept(0, question!);
    await turn();
  };
  /** A yes to a call, before which something changes. */
  const changedBefore = async (change: () => void): Promise<void> => {
    const held = call(0);
    const [question] = await asked(0);
    change();
    await accept(0, question!);
    await declined(held);
  };
  const newDefinition = (): void => {
    description += 1;
  };
  const newRule = (): void => {
    list = list.map(rule => ({ ...rule, within: 3_600_000 + ((rule.within ?? 0) % 10) + 1 }));
  };

  /** Each with how often its call runs. */
  const ways: readonly (readonly [string, number, () => Promise<void>])[] = [
    ['a yes', 1, () => changedBefore(() => {})],
    ['a no', 0, () => declined(call(0))],
    [
      'many callers and many yeses',
      1,
      async () => {
        const all = Array.from({ length: 2 + random(6) }, () => call(0));
        const [question] = await asked(0);
        await Promise.all(all.map(() => accept(0, question!)));
        await declined(...all);
      },
    ],
    ['another definition', 0, () => changedBefore(newDefinition)],
    ['another rule', 0, () => changedBefore(newRule)],
    [
      'another argument beside it',
      1,
      async () => {
        const both = [call(0, { to: 'ada' }), call(0, { to: 'adb' })];
        const questions = await asked(0, 2);
        await accept(0, questions.find(({ call: of }) => of?.arguments['to'] === 'ada')!);
        await declined(...both);
      },
    ],
    [
      'another caller beside it',
      1,
      async () => {
        const both = [call(0, {}, { principal: 'ada' }), call(0, {}, { principal: 'eve' })];
        const questions = await asked(0, 2);
        await accept(0, questions.find(({ call: of }) => of?.principal === 'ada')!);
        await declined(...both);
      },
    ],
    [
      'the same call again',
      1,
      async () => {
        await changedBefore(() => {});
        await declined(call(0), call(1));
      },
    ],
    [
      'a late yes, used again and again',
      1,
      async () => {
        await lateYes();
        await declined(call(0));
        await declined(call(0), call(1));
      },
    ],
    [
      'a late yes, used by two processes at once',
      1,
      async () => {
        await lateYes();
        await declined(call(1), call(0), call(1));
      },
    ],
    [
      'a late yes for another definition',
      0,
      async () => {
        await lateYes();
        newDefinition();
        await declined(call(0), call(1));
      },
    ],
    [
      'a late yes that is too old',
      0,
      async () => {
        await lateYes();
        clock.move(3_600_000);
        await declined(call(0), call(1));
      },
    ],
  ];
  for (; n < count; n += 1) {
    const [name, times, act] = ways[random(ways.length) - 1]!;
    await act();
    expect(ran.get(n) ?? 0, `call ${n}: ${name}`).toBe(times);
  }
}
