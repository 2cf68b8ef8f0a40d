/**
 * The stored inbox, in a SQLite file and in a Postgres of its own.
 *
 * The page: milliseconds to read the first 50 of 10,000 open questions of one person, with their number; p99 of each round. Aims: 5
 * on SQLite, 20 on Postgres.
 * The answer: milliseconds from a reply at one bridge until it is told there what became of it at the other bridge, which asked. Where
 * Redis wakes them, the aim is a p99 of 50; where each looks every 200 ms, 500.
 * Run after `npm run build`: node --import ./tools/load-typescript.mjs tools/bench/inbox.mjs [rounds] [questions] [replies per round]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisWake } from '@midcall/server/fleet';
import { openInboxStore } from '../../packages/inbox/dist/store/index.js';
import { postgresFolder, startPostgres } from '../../test/fixtures/postgres.ts';
import { figure } from './figure.mjs';
import { redisServer } from './redis-server.mjs';

const rounds = Number(process.argv[2] ?? 9);
const count = Number(process.argv[3] ?? 10_000);
const replies = Number(process.argv[4] ?? 20);
const key = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1));
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));

const p99 = values => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1];
const question = () => ({
  ...{ id: randomUUID(), kind: 'form', message: 'Delete the notes of last year?', askedAt: Date.now() },
  fields: [{ kind: 'boolean', name: 'confirm', title: 'Delete them', required: true }],
  asker: { id: 'notes', name: 'Notes', origin: 'node notes.js', era: '2026' },
});
const never = { reply: async () => ({ ok: true }), end() {} };
const show = (work, unit, values, most) => {
  const figures = values.map(value => value.toFixed(1).padStart(8)).join('');
  console.log(`${work.padEnd(62)}${figures}  (aim: ${most})`);
  figure({ work, beside: 'its aim', unit, values, most });
};

async function page(name, where, most) {
  const store = await openInboxStore({ where, key });
  const begun = performance.now();
  for (let at = 0; at < count; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => store.ask({ principal: 'ada', question: question(), owner: never })),
    );
  }
  const seconds = (performance.now() - begun) / 1_000;
  console.log(`${name}: ${count} questions asked, ${Math.round(count / seconds)} a second`);
  const ada = store.person('ada');
  const taken = [];
  for (let round = -1; round < rounds; round++) {
    const each = [];
    for (let n = 0; n < 100; n++) {
      const from = performance.now();
      const { questions } = await ada.open(0, 50);
      each.push(performance.now() - from);
      if (questions.length !== 50) throw new Error('The page lacks questions.');
    }
    if (round >= 0) taken.push(p99(each));
  }
  show(`p99 of a page of an inbox with ${count} open questions, ${name}`, 'ms', taken, most);
  return store;
}

async function answers(name, where, wakes, most) {
  const [a, b] = await Promise.all(wakes.map(wake => openInboxStore({ where, key, ...(wake && { wake }) })));
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    const each = [];
    for (let n = 0; n < replies; n++) {
      const asked = question();
      const owner = {
        async reply() {
          void a.ended(asked.id, { how: 'answered', via: 'inbox', content: { confirm: true } });
          return { ok: true };
        },
        end() {},
      };
      await a.ask({ principal: 'bob', question: asked, owner });
      // The looks of both come at any time.
      await new Promise(resolve => setTimeout(resolve, Math.random() * 200));
      const from = performance.now();
      const receipt = await b.person('bob').reply(asked.id, { action: 'accept', content: { confirm: true } });
      each.push(performance.now() - from);
      if (!receipt.ok) throw new Error(JSON.stringify(receipt));
    }
    taken.push(p99(each));
  }
  show(`p99 of an answer at another bridge, ${name}`, 'ms', taken, most);
  await Promise.all([a.stop(), b.stop()]);
}

console.log(`${rounds} rounds; node ${process.version}`);
const sqlite = join(folder, 'inbox.db');
await (await page('SQLite', sqlite, 5)).stop();
await answers('SQLite, looking', join(folder, 'other.db'), [undefined, undefined], 500);
if (postgresFolder) {
  const server = await startPostgres('-c', 'fsync=on');
  await (await page('Postgres', server.database(), 20)).stop();
  await answers('Postgres, looking', server.database(), [undefined, undefined], 500);
  const redis = await redisServer(folder);
  if (redis) {
    const connection = { path: join(folder, 'redis') };
    const wakes = await Promise.all([redisWake({ connection }), redisWake({ connection })]);
    await answers('Postgres, woken by Redis', server.database(), wakes, 50);
    await Promise.all(wakes.map(wake => wake.close()));
    await redis.stop();
  }
  await server.remove();
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
