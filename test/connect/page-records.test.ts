import { describe, expect, it } from 'vitest';
import { noWake } from '../../packages/server/src/base/wake.ts';
import {
  newCode,
  newPageId,
  PageRecords,
  pageDigest,
  spelled,
} from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { memoryStore } from '../../packages/server/src/stores/memory.ts';

const sealer = createSealer(keyRing(Buffer.alloc(32, 7)));
const day = 86_400_000;

/** Two processes over one store, whose clock stands still until it is moved. */
function setting() {
  let time = 1_800_000_000_000;
  const clock = { now: () => time, after: () => () => {} };
  const store = memoryStore({ clock });
  const opened: string[] = [];
  const watched = {
    ...sealer,
    open: (text: unknown, purpose: string, place?: string) => {
      opened.push(purpose);
      return sealer.open(text, purpose, place);
    },
  };
  const records = () => new PageRecords({ store, sealer: watched, clock, wake: noWake, warn() {}, audit() {} });
  const page: PageAsk = {
    pageId: newPageId(),
    kind: 'confirm',
    data: { title: 'Allow this call?' },
    message: 'This moves 14 notes.',
    check: 'none',
    call: { method: 'tools/call', name: 'notes_archive' } as PageAsk['call'],
    arguments: { before: '2026-01-01' },
    askedAt: time,
    dueAt: time + 900_000,
  };
  return {
    store,
    page,
    opened,
    issuer: records(),
    other: records(),
    advance: (ms: number) => {
      time += ms;
    },
  };
}

describe('a page', () => {
  it('page-record-R1: a page says nothing by itself, and lies in the store neither in the clear nor under its own name', async () => {
    const { store, page, issuer } = setting();
    await issuer.issue(page);
    expect(await store.get(`page:${page.pageId}`)).toBeUndefined();
    const kept = await store.get(`page:${pageDigest(page.pageId)}`);
    expect(kept).toBeDefined();
    for (const word of [page.pageId, 'Allow', 'notes']) expect(kept).not.toContain(word);
  });

  it('a page stands for the same thing in the process that issued it and in another, and only there it is opened', async () => {
    const { page, issuer, other, opened } = setting();
    await issuer.issue(page);
    expect(await issuer.look(page.pageId)).toEqual({ standing: 'open', page });
    expect(await issuer.find(page.pageId)).toEqual(page);
    expect(opened).toEqual([]);
    expect(await other.look(page.pageId)).toEqual({ standing: 'open', page });
    expect(opened).toEqual(['page']);
  });

  it('a page is given anew with each look, and says what was issued whatever becomes of the object it was issued from', async () => {
    const { page, issuer } = setting();
    const given = structuredClone(page) as { arguments: unknown } & PageAsk;
    await issuer.issue(given);
    given.arguments = { before: '1999-01-01' };
    const first = (await issuer.find(page.pageId)) as { arguments: unknown } | undefined;
    expect(first).toEqual(page);
    first!.arguments = {};
    expect(await issuer.find(page.pageId)).toEqual(page);
  });

  it('a page is what the store has: another text under its key, or none, is not what this process issued', async () => {
    const { store, page, issuer, advance } = setting();
    await issuer.issue(page);
    const key = `page:${pageDigest(page.pageId)}`;
    await store.set(key, sealer.seal({ ...page, kind: 'secret' }, 'page', 'page:another'));
    expect(await issuer.find(page.pageId)).toBeUndefined();
    expect(await issuer.look(page.pageId)).toBeUndefined();
    await store.delete(key);
    expect(await issuer.find(page.pageId)).toBeUndefined();
    advance(2 * day);
    expect(await issuer.look(page.pageId)).toBeUndefined();
  });

  it('page-record-R2, page-record-R3: one sending of a page gets its turn, and none once its time is up', async () => {
    const { page, issuer, other, advance } = setting();
    await issuer.issue(page);
    expect(await Promise.all([issuer.takeTurn(page, 'accept'), other.takeTurn(page, 'decline')])).toEqual([
      true,
      false,
    ]);
    expect(await other.look(page.pageId)).toEqual({ standing: 'underWay' });
    const late = { ...page, pageId: newPageId() };
    await issuer.issue(late);
    advance(900_000);
    expect(await issuer.takeTurn(late, 'accept')).toBe(false);
    expect(await issuer.look(late.pageId)).toEqual({ standing: 'expired' });
  });

  it('a page whose effect failed is failed in every process, and one whose end cannot be read is under way', async () => {
    const { store, page, issuer, other } = setting();
    await issuer.issue(page);
    expect(await issuer.takeTurn(page, 'accept')).toBe(true);
    await issuer.settle(page, { action: 'cancel', reason: 'error', assurance: 'in-band', at: 0 });
    expect(await other.look(page.pageId)).toEqual({ standing: 'failed' });
    expect(await other.standing(page)).toBe('failed');
    await store.set(`page-result:${pageDigest(page.pageId)}`, sealer.seal({ action: 'accept' }, 'page', 'another'));
    expect(await other.look(page.pageId)).toEqual({ standing: 'underWay' });
  });

  it('page-record-R3: whoever stops waiting when the time is up takes the turn, also from a process whose clock is behind', async () => {
    const { page, issuer, other, advance } = setting();
    await issuer.issue(page);
    advance(900_000);
    expect(await issuer.takeTurn(page, 'expired')).toBe(true);
    advance(-10_000);
    expect(await other.takeTurn(page, 'accept')).toBe(false);
    expect([await other.look(page.pageId), await other.standing(page)]).toEqual([{ standing: 'expired' }, 'expired']);
  });

  it('page-record-R4: five codes may be tried at a page, in whichever process', async () => {
    const { page, issuer, other } = setting();
    const left: unknown[] = [];
    for (const records of [issuer, other, issuer, other, issuer, other]) left.push(await records.try(page));
    expect(left).toEqual([4, 3, 2, 1, 0, undefined]);
  });

  it('a page that nobody issued, or that is no page at all, is unknown', async () => {
    const { issuer } = setting();
    for (const text of [newPageId(), '', 'x'.repeat(10_000), '../../page']) {
      expect(await issuer.look(text)).toBeUndefined();
      expect(await issuer.find(text)).toBeUndefined();
    }
  });
});

it('a code reads the same with blanks, dashes and small letters, and has no letter that is mistaken for another', () => {
  const code = newCode();
  expect(code).toMatch(/^[A-HJ-KM-NP-TV-Z2-9]{4}-[A-HJ-KM-NP-TV-Z2-9]{4}$/);
  expect(spelled(` ${code.toLowerCase().replace('-', ' ')} `)).toBe(spelled(code));
});
