/**
 * One process among several on one store, started by the tests: node page-child.mjs MODE KIND WHERE KEY
 *
 * race: for every line (a page) tries to take its turn; prints `won`, `lost` or what else it saw.
 * work: until it is killed, finishes pages, takes sign-ins and keeps secrets; prints a line before and after each step.
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '@midcall/core/time';
import { noWake } from '../../packages/server/dist/base/wake.js';
import { flows } from '../../packages/server/dist/connect/oauth/flows.js';
import { PageRecords } from '../../packages/server/dist/connect/page-records.js';
import { keyRing } from '../../packages/server/dist/state/keys.js';
import { createSealer } from '../../packages/server/dist/state/seal.js';
import { openStore } from '../stores/open-store.mjs';

const [mode, kind, where, key] = process.argv.slice(2);
const say = line => writeSync(1, `${line}\n`);
const { store } = await openStore(kind, where);
const sealer = createSealer(keyRing(key));
const records = new PageRecords({ store, sealer, clock: systemClock, wake: noWake });

if (mode === 'race') {
  await store.get('warm');
  say('ready');
  for await (const name of createInterface({ input: process.stdin })) {
    const page = await records.find(name);
    say(page && (await records.takeTurn(page, 'accept')) ? 'won' : page ? 'lost' : 'unknown');
  }
  process.exit(0);
}

const { vault } = await import('../../packages/server/dist/connect/vault/vault.js');
const sessions = flows(store, sealer, 'session', 'A session');
const kept = vault({ store, key });
const names = (await store.get('names')).split(' ');
// Each begins elsewhere, so that some meet and others go ahead.
const from = Math.floor(Math.random() * names.length);
say('ready');
for (let at = 0; ; at++) {
  const name = names[(from + at) % names.length];
  const page = await records.find(name);
  if (!page) say(`broken page ${name}`);
  else if ((await records.standing(page)) === 'open' && (await records.takeTurn(page, 'accept'))) {
    say(`spent ${name}`);
    const content = randomBytes(1_000).toString('base64');
    await records.settle(page, { action: 'accept', content, assurance: 'verified', at: Date.now() });
    say(`settled ${name} ${createHash('sha256').update(content).digest('base64')}`);
  }
  const session = await sessions.take(name, say);
  if (session) say(session.of === name ? `took ${name}` : `broken session ${name}`);
  const owner = { issuer: 'https://login.example', subject: String(process.pid) };
  const slot = `key-${at % 5}`;
  const secret = randomBytes(1_000).toString('base64');
  const digest = createHash('sha256').update(secret).digest('base64');
  say(`keeping ${process.pid} ${slot} ${digest}`);
  await kept.put(owner, slot, secret);
  say(`kept ${process.pid} ${slot} ${digest}`);
}
