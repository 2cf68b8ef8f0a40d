/** Starts `page-child.mjs` several times over and judges what came out of it. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { vault } from '@midcall/server/connect';
import { expect } from 'vitest';
import type { Store } from '../../packages/core/src/store/store.ts';
import { flows } from '../../packages/server/src/connect/oauth/flows.ts';
import { newPageId, PageRecords } from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';
import { lend } from './oauth-pages.ts';
import type { Shared } from './shared-store.ts';

const script = fileURLToPath(new URL('./page-child.mjs', import.meta.url));
const key = randomBytes(32).toString('base64');

function start(mode: 'race' | 'work', { kind, where }: Shared) {
  const child = spawn(process.execPath, [script, mode, kind, where, key], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process: child, lines: createInterface({ input: child.stdout }) };
}

const recordsOf = (store: Store): PageRecords => new PageRecords(lend(store, Buffer.from(key, 'base64'), []));

const anyPage = (): PageAsk => ({
  pageId: newPageId(),
  kind: 'confirm',
  data: null,
  message: 'Sure?',
  check: 'none',
  call: { method: 'tools/call', name: 'act' } as never,
  arguments: {},
  askedAt: Date.now(),
  dueAt: Date.now() + 86_400_000,
});

/** Lets `racers` processes, started once, race for the turn of one page after the other: each has exactly one winner. */
export async function raceForPages(shared: Shared, { racers, rounds }: { racers: number; rounds: number }) {
  const records = recordsOf(shared.store);
  const children = Array.from({ length: racers }, () => start('race', shared));
  try {
    await Promise.all(children.map(child => once(child.lines, 'line')));
    for (let round = 0; round < rounds; round++) {
      const page = anyPage();
      await records.issue(page);
      const said = children.map(async child => ((await once(child.lines, 'line')) as [string])[0]);
      for (const child of children) child.process.stdin.write(`${page.pageId}\n`);
      const losers = Array.from({ length: racers - 1 }, () => 'lost');
      expect((await Promise.all(said)).sort()).toEqual([...losers, 'won']);
    }
  } finally {
    const ended = children.map(({ process: child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit'));
    for (const child of children) child.process.kill('SIGKILL');
    await Promise.all(ended);
  }
}

/**
 * Kills `kills` processes that finish pages, take sessions and keep secrets, each at a random line of its output, and looks
 * at what they left: nothing that does not open, nothing spent or taken twice, nothing lost that was said to be written.
 */
export async function killAtPages(
  shared: Shared,
  { kills, atOnce, pages: count }: { kills: number; atOnce: number; pages: number },
): Promise<void> {
  const { store } = shared;
  const records = recordsOf(store);
  const sealer = createSealer(keyRing(key));
  const sessions = flows<{ of: string }>(store, sealer, 'session', 'A session');
  const unread = (message: string): never => {
    throw new Error(message);
  };
  const kept = vault({ store, key });
  const all = Array.from({ length: count }, anyPage);
  for (const page of all) {
    await records.issue(page);
    await sessions.begin(page.pageId, { of: page.pageId }, 86_400_000);
  }
  await store.set('names', all.map(({ pageId }) => pageId).join(' '));

  const lists = { spent: [] as string[], took: [] as string[], broken: [] as string[] };
  const settled = new Map<string, string>();
  const secrets = new Map<string, { acknowledged?: string; underWay?: string }>();
  const hear = (line: string): void => {
    const [word = '', ...rest] = line.split(' ');
    if (word === 'settled') settled.set(rest[0]!, rest[1]!);
    else if (word === 'keeping' || word === 'kept') {
      const at = `${rest[0]} ${rest[1]}`;
      const { acknowledged } = secrets.get(at) ?? {};
      const before = acknowledged === undefined ? {} : { acknowledged };
      secrets.set(at, word === 'kept' ? { acknowledged: rest[2]! } : { ...before, underWay: rest[2]! });
    } else if (word in lists) lists[word as keyof typeof lists].push(rest.join(' '));
  };
  let left = kills;
  const killOne = async (): Promise<void> => {
    while (left-- > 0) {
      const child = start('work', shared);
      let lines = 1 + Math.floor(Math.random() * 40);
      child.lines.on('line', line => {
        hear(line);
        if (--lines === 0) child.process.kill('SIGKILL');
      });
      await once(child.lines, 'close');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, killOne));

  const { spent, took, broken } = lists;
  expect(broken).toEqual([]);
  expect(new Set(spent).size).toBe(spent.length);
  expect(new Set(took).size).toBe(took.length);
  expect(Math.min(spent.length, took.length, settled.size, secrets.size)).toBeGreaterThan(0);
  let unsaid = 0;
  for (const page of all) {
    const standing = await records.standing(page);
    const outcome = await records.outcome(page.pageId, 0);
    if (spent.includes(page.pageId)) expect(['underWay', 'used']).toContain(standing);
    else if (standing !== 'open') unsaid += 1;
    expect(outcome !== undefined).toBe(standing === 'used');
    const digest = outcome?.action === 'accept' && createHash('sha256').update(`${outcome.content}`).digest('base64');
    if (settled.has(page.pageId)) expect(digest).toBe(settled.get(page.pageId));
    if (took.includes(page.pageId)) expect(await sessions.look(page.pageId, unread)).toBeUndefined();
    expect([undefined, page.pageId]).toContain((await sessions.look(page.pageId, unread))?.of);
    // What was taken cannot be had again, whoever died over it.
    expect(await records.takeTurn(page, 'accept')).toBe(standing === 'open');
  }
  expect(unsaid).toBeLessThanOrEqual(kills);
  for (const [at, { acknowledged, underWay }] of secrets) {
    const [subject, name] = at.split(' ') as [string, string];
    const secret = await kept.get({ issuer: 'https://login.example', subject }, name);
    const digest = secret && createHash('sha256').update(secret).digest('base64');
    // Killed in the middle of replacing one: the old or the new.
    if (underWay === undefined) expect(digest).toBe(acknowledged);
    else expect([acknowledged, underWay]).toContain(digest);
  }
}
