/** The inbox in a SQLite file that processes share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { inSoak } from '../fixtures/soak.ts';
import { killBridges } from './killed-bridges.ts';

it('two bridges that are killed at any point leave each question ended once, with how, and a record that verifies', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
  const where = join(folder, 'inbox.db');
  const rows = async (): Promise<string[][]> => {
    const database = new Database(where);
    database.exec('PRAGMA busy_timeout = 5000');
    const found = database.prepare('select id, how from inbox_questions').all() as object[];
    database.close();
    return found.map(row => Object.values(row).map(String));
  };
  await killBridges(where, rows, inSoak({ kills: 200, questions: 1_000 }, { kills: 6, questions: 80 }));
  expect((await rows()).length).toBeGreaterThan(0);
  rmSync(folder, { recursive: true, force: true });
});
