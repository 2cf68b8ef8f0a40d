/** A flood of links: how many pages one person may have open, and what a call beyond that is told. */
import { confirm } from '@midcall/server/connect';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { noWake } from '../../packages/server/src/base/wake.ts';
import { OpenPages } from '../../packages/server/src/connect/open-pages.ts';
import { newPageId, PageRecords } from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { memoryStore } from '../../packages/server/src/stores/memory.ts';
import { fixture, textOf, told } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { pastCode } from './visitor.ts';

async function finish({ params }: { params: Readonly<Record<string, unknown>> }, how = 'send'): Promise<void> {
  const person = await pastCode({ params });
  await person.send({ do: how });
}

describe.each(eras)('%s', era => {
  const later = { ms: 0 };
  const waits = shortWaits();
  const flooded = (most: number, more: object = {}) => {
    later.ms = 0;
    return fixture({
      era,
      connect: { maxOpen: most },
      midcall: { holdMs: 5, maxRounds: 2, clock: { ...waits, now: () => waits.now() + later.ms } },
      handler: async call => {
        try {
          return told(await call.elicitUrl({ message: 'Sure?', page: confirm() }));
        } catch {
          return 'went on unasked';
        }
      },
      ...more,
    });
  };

  it('a call that would open one page too many ends, whatever its handler catches, and says what to do', async () => {
    const made = await flooded(2);
    const waiting = [await made.call(), await made.call()];
    const result = await made.callTool('act', {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /This person has 2 pages open already.*Finish or decline one of them, or wait: .* in 15 minutes\. Do not call again before\./s,
    );
    expect(made.asked).toHaveLength(2);
    // What is open goes on.
    for (const [index, text] of waiting.entries()) {
      await finish(made.asked[index]!);
      const ticket = /ticket "([^"]+)"/.exec(text)?.[1];
      expect(textOf(await made.callTool('resume', { ticket }))).toContain('accept');
    }
  });

  it.each(['send', 'decline'])('a page that was finished by %s makes room, though no call waits for it', async how => {
    const made = await flooded(2);
    // Each of these ends with a ticket for the resume tool, and its page stays open.
    expect(await made.call()).toContain('"resume"');
    expect(await made.call()).toContain('"resume"');
    expect((await made.callTool('act', {})).isError).toBe(true);
    await finish(await made.whenAsked(1), how);
    expect(await made.call()).toContain('"resume"');
    expect((await made.callTool('act', {})).isError).toBe(true);
  });

  it('a page whose time is up makes room', async () => {
    const made = await flooded(1);
    expect(await made.call()).toContain('"resume"');
    later.ms = 14 * 60_000 + 30_000;
    expect(textOf(await made.callTool('act', {}))).toContain('in 1 minute.');
    later.ms = 15 * 60_000;
    expect(await made.call()).toContain('"resume"');
  });

  it('of many pages at once no more are opened than may be, and those are taken back with the call', async () => {
    const made = await fixture({
      era,
      connect: { maxOpen: 3 },
      answers: [{ action: 'decline' }],
      handler: async (call, { many }) => {
        const asks = Array.from({ length: many as number }, (_, n) =>
          call.elicitUrl({ message: `Page ${n}`, page: confirm() }),
        );
        return (await Promise.all(asks)).map(({ action }) => action).join();
      },
    });
    expect((await made.callTool('act', { many: 4 })).isError).toBe(true);
    expect(made.asked).toHaveLength(0);
    const kept = (kind: RegExp) => [...made.store].filter(([key]) => kind.test(key));
    expect(kept(/^page:/)).toHaveLength(3);
    expect(kept(/^page-turn:/).map(([, turn]) => turn.split(' ')[0])).toEqual(Array(3).fill('withdrawn'));
    expect(await made.call({ many: 3 })).toBe('decline,decline,decline');
  });

  it('one person’s flood leaves another’s pages alone; calls of nobody known are not counted', async () => {
    let subject: string | undefined = 'mallory';
    const made = await fixture({
      era,
      carrier: 'http',
      connect: { maxOpen: 1 },
      capabilities: {},
      midcall: { principal: () => (subject === undefined ? undefined : { issuer: 'https://login.example', subject }) },
      handler: async call => told(await call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' })),
    });
    expect(await made.call()).toContain('"resume"');
    expect((await made.callTool('act', {})).isError).toBe(true);
    if (era === '2026-07-28') {
      subject = 'alice';
      expect(await made.call()).toContain('"resume"');
      subject = undefined;
      for (let n = 0; n < 3; n++) expect(await made.call()).toContain('"resume"');
    }
  });
});

/** Processes that share a store, whose clock the test moves. */
function processes(most: number) {
  let time = 1_800_000_000_000;
  const clock = { now: () => time, after: () => () => {} };
  const store = memoryStore({ clock });
  const host = {
    ...{ store, sealer: createSealer(keyRing(Buffer.alloc(32, 9))), clock, wake: noWake },
    ...{ warn() {}, audit() {} },
  };
  const records = new PageRecords(host);
  const page = (): PageAsk => ({
    ...{ pageId: newPageId(), kind: 'confirm', data: {}, message: 'Sure?', check: 'none', arguments: {} },
    call: { principal: { issuer: 'https://login.example', subject: 'ada' } } as PageAsk['call'],
    ...{ askedAt: time, dueAt: time + 60_000 },
  });
  return {
    records,
    page,
    store,
    pass(ms: number) {
      time += ms;
    },
    started: () => new OpenPages({ most, host, isUntaken: each => records.isUntaken(each) }),
  };
}
const limit = { code: 'connect/limit' };

describe('open pages of one person, in processes that share a store', () => {
  it('open-pages-G1: the open pages of one person are counted together, until one is answered at either, or its time is up', async () => {
    const { records, page, pass, started } = processes(2);
    const [a, b] = [started(), started()];
    const [one, two, three] = [page(), page(), page()];
    await a.open(one, () => records.issue(one));
    await b.open(two, () => records.issue(two));
    for (const each of [a, b]) await expect(each.open(three, () => records.issue(three))).rejects.toMatchObject(limit);
    // One that is opened again, by whoever goes on with its call, counts once.
    await b.open(one, () => records.issue(one));
    await records.takeTurn(one, 'decline');
    await b.open(three, () => records.issue(three));
    await expect(a.open(page(), async () => {})).rejects.toMatchObject(limit);
    pass(60_000);
    await a.open(page(), async () => {});
  });

  it('open-pages-G2: of many pages opened at once at both processes no more get in than fit, and one that fails makes room', async () => {
    const { page, started } = processes(3);
    const [a, b] = [started(), started()];
    await expect(a.open(page(), () => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    const opened = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? a : b).open(page(), async () => {})),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });
});
