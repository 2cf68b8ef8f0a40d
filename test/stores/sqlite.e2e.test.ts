import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SqliteStore, sqliteStore } from '../../src/stores/sqlite.ts';
import { killWorkers, raceProcesses } from './processes.ts';

let folder: string;
let path: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-sqlite-'));
  path = join(folder, 'shared.db');
  store = await sqliteStore(path);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('S1: of eight processes exactly one wins each ticket and each claim', () =>
  raceProcesses(store, 'sqlite', path, { racers: 8, rounds: 40 }));

it('S2: after kill -9 of its writers nothing is half-written, lost or taken twice', async () => {
  await killWorkers(store, path, { kills: 24, atOnce: 4, tokens: 60 });
  expect(await store.set('after', 'all', { ifAbsent: true })).toBe(true);
});
