/**
 * One process among several on one store, started by the tests: node child.mjs MODE KIND WHERE
 *
 * race: prints `ready`, waits for a line, then tries every ticket and claim of `rounds`; prints what it won.
 * work: until it is killed, takes tokens and writes values; prints a line after each call has come back.
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from './open-store.mjs';

const [mode, kind, where, rounds] = process.argv.slice(2);
const say = line => writeSync(1, `${line}\n`);

const { store, close } = await openStore(kind, where);

if (mode === 'race') {
  await store.get('warm');
  say('ready');
  await new Promise(resolve => process.stdin.once('data', resolve));
  const won = { tickets: [], claims: [] };
  for (let round = 0; round < Number(rounds); round++) {
    const [taken, claimed] = await Promise.all([
      store.take(`ticket ${round}`),
      store.set(`claim ${round}`, String(process.pid), { ifAbsent: true, ttlMs: 600_000 }),
    ]);
    if (taken !== undefined) won.tickets.push(round);
    if (claimed) won.claims.push(round);
  }
  say(JSON.stringify(won));
  close();
  process.exit(0);
}

say('ready');
for (let call = 0; ; call++) {
  const token = `token ${call}`;
  if ((await store.take(token)) !== undefined) say(`took ${token}`);
  const key = `value ${process.pid} ${call % 20}`;
  const body = randomBytes(2_000 + (call % 7) * 1_000).toString('base64');
  const digest = createHash('sha256').update(body).digest('base64');
  say(`setting ${key} ${digest}`);
  await store.set(key, `${digest} ${body}`, call % 3 ? { ttlMs: 600_000 } : {});
  say(`set ${key} ${digest}`);
}
