/**
 * One process among several that finds a sign-in expired: node refresh-child.mjs KIND WHERE ISSUER KEY NOW. Its clock
 * stands at NOW, so that no time limit passes. Prints a digest of what it got.
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { systemClock } from '@midcall/core/time';
import { provider, vault } from '@midcall/server/connect';
import { openStore } from '../stores/open-store.mjs';

const [kind, where, issuer, key, time] = process.argv.slice(2);
const clock = { ...systemClock, now: () => Number(time) };
const { store } = await openStore(kind, where);
const notes = provider({
  id: 'notes',
  issuer,
  clientId: 'midcall',
  clientSecret: 'client-secret-canary-0123456789',
  scopes: ['notes.read'],
  timeoutMs: 600_000,
  clock,
});
writeSync(1, 'ready\n');
await new Promise(resolve => process.stdin.once('data', resolve));
const owner = { issuer: 'https://login.example', subject: 'alice' };
const token = await vault({ store, key, clock }).token(owner, notes);
const value = token?.value ?? 'none';
writeSync(1, `${createHash('sha256').update(value).digest('base64')}\n`);
process.exit(0);
