/**
 * Pages per second: created, consumed (looked up, its turn taken, its outcome written) and refused (looked up
 * again), on each store, beside two bare clients that do the same round trips: one writes a text that is there already, of the
 * same size; the other makes what it writes as ours does, sealed, and opens what it reads. Interleaved rounds, their sums and
 * the ratios; target at least 0.8, where there is a round trip.
 * Of the sealing client, four runs: 0.88 to 1.04 one at a time on SQLite, 1.00 to 1.42 on Redis; 32 at once on SQLite 1.4 to 5.5,
 * since writes that come together share a transaction, and 0.82 to 1.17 on Redis. With fewer than 1,000 pages in a round, a pause of
 * the machine decides it.
 * Of the other: SQLite as it is by default 0.76 to 0.85 created, 0.77 to 0.79 consumed, with `sync: 'normal'` 0.71 to 0.78; Redis
 * 0.79 to 0.85 and 1.12, 32 at once 0.41 to 0.47 and 0.45 to 0.71. What is missing there is sealing: the client that does only
 * that comes to 0.85 on SQLite by default, 0.75 with `normal`, and 0.44 on Redis, 32 at once, where a pipelined command takes
 * 7 µs in all and one AES-256-GCM message of node:crypto 4.
 * Then 100,000 open pages: bytes of each, and the time to look one up among 1,000, 10,000 and 100,000.
 * Run after `npm run build`: node --expose-gc tools/bench/pages.mjs [rounds] [pages per round] [store, for that one alone]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '@midcall/core/time';
import { memoryStore } from '@midcall/server/stores/memory';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { noWake } from '../../packages/server/dist/base/wake.js';
import { newPageId, PageRecords } from '../../packages/server/dist/connect/page-records.js';
import { keyRing } from '../../packages/server/dist/state/keys.js';
import { createSealer } from '../../packages/server/dist/state/seal.js';
import { bareMemory, bareRedis, bareSqlite } from './bare-stores.mjs';
import { figure } from './figure.mjs';
import { redisServer } from './redis-server.mjs';

setFlagsFromString('--expose-gc');
const gc = globalThis.gc ?? runInNewContext('gc');
const rounds = Number(process.argv[2] ?? 9);
const count = Number(process.argv[3] ?? 400);
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const sealer = createSealer(keyRing(Buffer.alloc(32, 7)));
const ttlMs = 86_400_000;

const ticketOf = () => ({
  pageId: newPageId(),
  kind: 'confirm',
  data: { title: 'Allow this call?', allow: 'Allow' },
  message: 'This moves 14 notes to the archive.',
  check: 'sign-in',
  call: { method: 'tools/call', name: 'notes_archive', principal: { issuer: 'https://login.example', subject: 'ada' } },
  arguments: { before: '2026-01-01', folder: 'work' },
  askedAt: Date.now(),
  dueAt: Date.now() + 900_000,
});
const outcome = { action: 'accept', content: { approved: true }, assurance: 'verified', at: 0 };
const sealedTicket = sealer.seal({ k: `page:${'x'.repeat(32)}`, v: ticketOf() }, 'page');
const sealedOutcome = sealer.seal({ k: `page-result:${'x'.repeat(32)}`, v: outcome }, 'page');

function ours(store) {
  const records = new PageRecords({ store, sealer, clock: systemClock, wake: noWake });
  return {
    make: ticketOf,
    create: page => records.issue(page),
    async consume({ pageId: name }) {
      const { page, standing } = await records.look(name);
      if (standing !== 'open' || !(await records.takeTurn(page, 'accept'))) throw name;
      await records.settle(page, outcome);
    },
    async refuse({ pageId: name }) {
      if ((await records.look(name)).standing !== 'used') throw name;
    },
  };
}

/** The same round trips. `open` and `seal` do nothing, or what ours does with the values. */
const bare = (client, { open = text => text, seal = (_, text) => text } = {}) => ({
  make: () => newPageId(),
  create: name => client.ifAbsent(`page:${name}`, seal(ticketOf, sealedTicket)),
  async consume(name) {
    open(await client.get(`page:${name}`));
    if ((await client.get(`turn:${name}`)) || !(await client.ifAbsent(`turn:${name}`, 'accept'))) throw name;
    await client.set(
      `result:${name}`,
      seal(() => outcome, sealedOutcome),
    );
  },
  async refuse(name) {
    if (!open(await client.get(`page:${name}`)) || !(await client.get(`turn:${name}`))) throw name;
    if (!open(await client.get(`result:${name}`))) throw name;
  },
});

const sealing = {
  open: text => text && sealer.open(text, 'page').payload,
  seal: make => sealer.seal({ k: `page:${'x'.repeat(32)}`, v: make() }, 'page'),
};

/** Seconds that the work on all items takes. */
async function timed(work, items, width) {
  const begun = performance.now();
  for (let at = 0; at < items.length; at += width) await Promise.all(items.slice(at, at + width).map(work));
  return (performance.now() - begun) / 1_000;
}

const redis = await redisServer(folder);
const redisOf = () => redisStore({ send: args => redis.client.call(...args) });
const roomy = { maxEntries: 10_000_000 };
const sqlite = async (sync, width) => [
  `sqlite ${sync}`,
  width,
  ours(await sqliteStore(join(folder, `${sync}-${width}.db`), { sync })),
  bare(bareSqlite(join(folder, `bare-${sync}-${width}.db`), sync.toUpperCase(), ttlMs)),
  bare(bareSqlite(join(folder, `sealing-${sync}-${width}.db`), sync.toUpperCase(), ttlMs), sealing),
];
const trios = [
  ['map', 1, ours(memoryStore(roomy)), bare(bareMemory()), bare(bareMemory(), sealing)],
  await sqlite('full', 1),
  await sqlite('full', 32),
  await sqlite('normal', 1),
  await sqlite('normal', 32),
  ...(redis
    ? [1, 32].map(width => {
        const client = bareRedis(redis.client, ttlMs);
        return ['redis', width, ours(redisOf()), bare(client), bare(client, sealing)];
      })
    : []),
].filter(([name]) => name.includes(process.argv[4] ?? ''));

console.log(`${count} pages x ${rounds} rounds; node ${process.version}`);
console.log('store          step      width   midcall/s      bare/s   sealing/s   of bare  of sealing');
for (const [name, width, ...sides] of trios) {
  const taken = { create: [0, 0, 0], consume: [0, 0, 0], refuse: [0, 0, 0] };
  /** Of the sealing client, for each round. */
  const ofSealing = { create: [], consume: [], refuse: [] };
  for (let round = -1; round < rounds; round++) {
    const items = sides.map(side => Array.from({ length: count }, side.make));
    for (const step of Object.keys(taken)) {
      const inRound = [];
      for (let turn = 0; turn < sides.length; turn++) {
        const index = (turn + round + 1) % sides.length;
        const seconds = await timed(sides[index][step], items[index], width);
        inRound[index] = seconds;
        if (round >= 0) taken[step][index] += seconds;
      }
      if (round >= 0) ofSealing[step].push(inRound[2] / inRound[0]);
    }
  }
  for (const [step, [mine, ...theirs]] of Object.entries(taken)) {
    const figures = [mine, ...theirs].map(each => String(Math.round((count * rounds) / each)).padStart(11)).join(' ');
    const ratios = theirs.map(each => (each / mine).toFixed(2).padStart(10)).join('');
    console.log(`${name.padEnd(14)} ${step.padEnd(9)} ${String(width).padStart(5)} ${figures}${ratios}`);
    if (name === 'redis' && width === 32) {
      figure({
        work: `a page on Redis, 32 at once: ${step}`,
        beside: 'a bare client that seals',
        unit: 'of its rate',
        values: ofSealing[step],
        least: 0.8,
      });
    }
  }
}

// One store alone is for its rates.
if (process.argv[4] !== undefined) {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
console.log('\noutstanding    store          bytes each   microseconds to look one up');
const stores = {
  memory: memoryStore(roomy),
  'sqlite normal': await sqliteStore(join(folder, 'many.db'), { sync: 'normal' }),
  ...(redis ? { redis: redisOf() } : {}),
};
for (const [name, store] of Object.entries(stores)) {
  const records = new PageRecords({ store, sealer, clock: systemClock, wake: noWake });
  const names = [];
  gc();
  const before = process.memoryUsage().heapUsed;
  for (const size of [1_000, 10_000, 100_000]) {
    while (names.length < size) {
      const some = Array.from({ length: Math.min(100, size - names.length) }, ticketOf);
      await Promise.all(some.map(page => records.issue(page)));
      names.push(...some.map(({ pageId }) => pageId));
    }
    gc();
    const each = Math.round((process.memoryUsage().heapUsed - before) / size);
    const looked = Array.from({ length: 2_000 }, () => names[Math.floor(Math.random() * size)]);
    const perSecond = looked.length / (await timed(page => records.find(page), looked, 1));
    console.log(
      `${String(size).padStart(11)}    ${name.padEnd(14)} ${String(each).padStart(9)}   ${(1e6 / perSecond).toFixed(1).padStart(10)}`,
    );
  }
}
await redis?.stop();
rmSync(folder, { recursive: true, force: true });
