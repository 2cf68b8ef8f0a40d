import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SqliteStore, sqliteStore } from '../../packages/server/src/stores/sqlite.ts';
import { rowsSeenByAnother } from '../fixtures/sqlite-visitor.ts';
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

it('store-S1: of eight processes exactly one wins each ticket and each claim', () =>
  raceProcesses(store, 'sqlite', path, { racers: 8, rounds: 40 }));

it.runIf(process.getuid?.() === 0)('a file that others may read, and that is not ours to change, is refused', () => {
  const theirs = join(folder, 'theirs.db');
  const script = fileURLToPath(new URL('./open-store.mjs', import.meta.url));
  const open = `import(process.argv[1]).then(({ openStore }) => openStore('sqlite', process.argv[2])).then(
    () => console.log('opened'), error => console.log(error.code, error.message))`;
  const run = (...capabilities: string[]): string =>
    execFileSync('setpriv', [...capabilities, process.execPath, '-e', open, script, theirs], { encoding: 'utf8' });
  expect(run()).toBe('opened\n');
  chownSync(theirs, 12_345, 12_345);
  chmodSync(theirs, 0o666);
  // The superuser, without leave to change what others own.
  const refused = run('--bounding-set=-fowner,-dac_override,-dac_read_search');
  expect(refused).toContain('store/unavailable');
  expect(refused).toContain('chmod 600');
});

it('what is written after the file was opened twice in this process, and by another that is gone, is in the file', async () => {
  const second = await sqliteStore(path);
  const rows = () => rowsSeenByAnother(path, 'midcall_store');
  await store.set('before', '1');
  expect(rows()).toBe(1);
  await store.set('after', '2');
  expect(rows()).toBe(2);
  second.close();
});

it('store-S2: after kill -9 of its writers nothing is half-written, lost or taken twice', async () => {
  await killWorkers(store, path, { kills: 24, atOnce: 4, tokens: 60 });
  expect(await store.set('after', 'all', { ifAbsent: true })).toBe(true);
});
