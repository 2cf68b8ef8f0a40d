import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { redisStore } from '../../packages/server/src/stores/redis.ts';
import { sqliteStore } from '../../packages/server/src/stores/sqlite.ts';
import { killWorkers, raceProcesses } from './processes.ts';
import { redisServer, startRedis } from './redis-server.ts';

async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-soak-'));
  try {
    await run(join(folder, 'shared.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('store-S2: 500 writers killed with SIGKILL on one SQLite file leave nothing half-written, lost or taken twice', () =>
  withFile(async path => {
    const store = await sqliteStore(path);
    await killWorkers(store, path, { kills: 500, atOnce: 6, tokens: 60 });
    expect(await store.set('after', 'all', { ifAbsent: true })).toBe(true);
    store.close();
  }));

it('store-S1: 64 processes race for tickets on one SQLite file: each is won once', () =>
  withFile(async path => {
    const store = await sqliteStore(path, { lockTimeoutMs: 60_000 });
    await raceProcesses(store, 'sqlite', path, { racers: 64, rounds: 20 });
    store.close();
  }));

it.runIf(redisServer)('store-S1: 64 processes race for tickets on one Redis: each is won once', async () => {
  const redis = await startRedis();
  const client = redis.connect();
  try {
    const store = redisStore({ send: args => client.call(...args) });
    await raceProcesses(store, 'redis', redis.socket, { racers: 64, rounds: 20 });
  } finally {
    client.disconnect();
    await redis.remove();
  }
});
