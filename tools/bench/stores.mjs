/**
 * Calls per second of each store, beside its bare client doing the same round trips on the same kind of data.
 * One call at a time and, where there is a round trip, 32 at once; interleaved rounds, medians and their ratio. Target: at
 * least 0.8 there: the bare client of the memory store is a Map that checks, expires and bounds nothing.
 * Writes on SQLite that come together share a transaction, so 32 at once wait for the disk once (10 times the bare client).
 * Below the target is `take` on SQLite one at a time with `sync: 'normal'` (0.6), where no sync to disk hides anything:
 * BEGIN IMMEDIATE and COMMIT are calls of their own. They find out about a lock without a prepared statement that would
 * stay open over it (packages/server/src/stores/sqlite-connection.ts, Q3).
 * Run after `npm run build`: node tools/bench/stores.mjs [rounds] [calls per round]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@midcall/server/stores/memory';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { bareMemory, bareRedis, bareSqlite } from './bare-stores.mjs';
import { redisServer } from './redis-server.mjs';

const rounds = Number(process.argv[2] ?? 9);
const calls = Number(process.argv[3] ?? 1_000);
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const value = 'x'.repeat(1_400);
const ttlMs = 600_000;

const ours = store => ({
  get: key => store.get(key),
  set: (key, text) => store.set(key, text, { ttlMs }),
  ifAbsent: (key, text) => store.set(key, text, { ttlMs, ifAbsent: true }),
  take: key => store.take(key),
});

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Calls per second of one operation over fresh keys, `width` at a time. */
async function measure(side, operation, width, tag) {
  const keys = Array.from({ length: calls }, (_, index) => `${tag} ${index}`);
  if (operation === 'get' || operation === 'take') for (const key of keys) await side.set(key, value);
  const begun = performance.now();
  for (let at = 0; at < calls; at += width) {
    await Promise.all(keys.slice(at, at + width).map(key => side[operation](key, value)));
  }
  const seconds = (performance.now() - begun) / 1_000;
  if (operation !== 'take') for (const key of keys) await side.take(key);
  return calls / seconds;
}

const redis = await redisServer(folder);
const pairs = {
  memory: [ours(memoryStore()), bareMemory()],
  'sqlite normal': [
    ours(await sqliteStore(join(folder, 'ours-n.db'), { sync: 'normal' })),
    bareSqlite(join(folder, 'bare-n.db'), 'NORMAL', ttlMs),
  ],
  'sqlite full': [
    ours(await sqliteStore(join(folder, 'ours-f.db'))),
    bareSqlite(join(folder, 'bare-f.db'), 'FULL', ttlMs),
  ],
  ...(redis
    ? { redis: [ours(redisStore({ send: args => redis.client.call(...args) })), bareRedis(redis.client, ttlMs)] }
    : {}),
};

console.log(`${calls} calls x ${rounds} rounds, values of ${value.length} bytes; node ${process.version}`);
console.log('store          call      width   midcall/s      bare/s   ratio (range)');
for (const [name, sides] of Object.entries(pairs)) {
  for (const width of name === 'memory' ? [1] : [1, 32]) {
    for (const operation of ['set', 'get', 'ifAbsent', 'take']) {
      const rates = [[], []];
      for (let round = -1; round < rounds; round++) {
        for (const [index, side] of sides.entries()) {
          const rate = await measure(side, operation, width, `${operation} ${round}`);
          if (round >= 0) rates[index].push(rate);
        }
      }
      const ratios = rates[0].map((rate, round) => rate / rates[1][round]);
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
      const figures = rates.map(each => String(Math.round(median(each))).padStart(11)).join(' ');
      console.log(
        `${name.padEnd(14)} ${operation.padEnd(9)} ${String(width).padStart(5)} ${figures}    ${median(ratios).toFixed(2)} (${range})`,
      );
    }
  }
}
await redis?.stop();
rmSync(folder, { recursive: true, force: true });
