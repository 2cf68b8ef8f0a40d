/** The inbox in a SQLite file that processes share. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approvers } from '@midcall/server';
import Database from 'libsql';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { inSoak } from '../fixtures/soak.ts';
import { rowsSeenByAnother } from '../fixtures/sqlite-visitor.ts';
import { payment } from './approvals-contract.ts';
import { killApprovers } from './killed-approvers.ts';
import { killBridges } from './killed-bridges.ts';
import { approvalStore, bridge, question, stopAll } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
const disk = join(folder, 'disk');
/** A disk of 2 MB, where this user may make one. */
const hasDisk = (() => {
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(async () => {
  await stopAll();
  // libsql has the file open until its statements are collected.
  if (hasDisk) execFileSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

it('what is asked after the file was opened twice in this process, and by another that is gone, is in the file', async () => {
  const where = join(folder, 'twice.db');
  const a = await bridge({ where });
  await bridge({ where });
  const rows = () => rowsSeenByAnother(where, 'inbox_questions');
  await a.ask('ada');
  expect(rows()).toBe(1);
  await a.ask('ada');
  expect(rows()).toBe(2);
});

it.runIf(hasDisk)('a question on a full disk is refused, and an end waits until there is room', async () => {
  const a = await bridge({ where: join(disk, 'inbox.db') });
  const { id } = await a.ask('ada');
  const filler = join(disk, 'filler');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  await expect(a.ask('ada', question('x'.repeat(100_000)))).rejects.toMatchObject({
    code: 'store/unavailable',
    message: expect.stringContaining('disk is full'),
  });
  a.inbox.end(id, { how: 'withdrawn' });
  await eventually(() => a.errors.length > 0);
  const ada = a.store.person('ada');
  expect(await ada.get(id)).not.toHaveProperty('ending');
  rmSync(filler);
  await a.written();
  expect(await ada.get(id)).toMatchObject({ ending: { how: 'withdrawn' } });
  expect(await ada.open(0, 9)).toEqual({ questions: [], count: 0 });
  expect(await a.store.record.verify()).toEqual({ ok: true, lines: 2 });
});

it.runIf(hasDisk)('a vote on a full disk is refused and does not count, and it counts once there is room', async () => {
  const inbox = await approvalStore({ where: join(disk, 'votes.db'), groups: { names: { finance: ['ada'] } } });
  const ask = payment({ from: approvers('finance') });
  await inbox.approvals.ask(ask);
  const ada = inbox.person('ada (https://id.example)');
  const { question } = (await ada.get(ask.id))!;
  const filler = join(disk, 'filler');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  // What is in the log of the database already has room for a few small changes.
  await expect(
    (async () => {
      for (;;) await inbox.approvals.ask(payment({ message: 'x'.repeat(10_000) }));
    })(),
  ).rejects.toMatchObject({ code: expect.stringMatching(/unavailable/) });
  const yes = { action: 'accept', content: { sure: true } } as const;
  const receipt = await ada.reply(question.id, yes).catch((error: unknown) => error);
  expect(receipt).toMatchObject({ code: 'store/unavailable', message: expect.stringContaining('disk is full') });
  expect(await inbox.approvals.look(ask.id)).toEqual({ votes: [] });
  rmSync(filler);
  expect(await ada.reply(question.id, yes)).toEqual({ ok: true });
  expect(await inbox.approvals.look(ask.id)).toMatchObject({ outcome: { action: 'accept' } });
  expect(await inbox.record.verify()).toMatchObject({ ok: true });
});

it('no vote that was acknowledged is lost when processes are killed, and each question has one outcome', async () => {
  const where = join(folder, 'approvals.db');
  const sql = async (statement: string): Promise<string[][]> => {
    const database = new Database(where);
    database.exec('PRAGMA busy_timeout = 5000');
    const found = database.prepare(statement).all() as object[];
    database.close();
    return found.map(row => Object.values(row).map(String));
  };
  await killApprovers(where, sql, inSoak({ kills: 200, questions: 300 }, { kills: 3, questions: 6 }));
});

it('two bridges that are killed at any point leave each question ended once, with how, and a record that verifies', async () => {
  const where = join(folder, 'inbox.db');
  const rows = async (): Promise<string[][]> => {
    const database = new Database(where);
    database.exec('PRAGMA busy_timeout = 5000');
    const found = database.prepare('select id, how from inbox_questions').all() as object[];
    database.close();
    return found.map(row => Object.values(row).map(String));
  };
  await killBridges(where, rows, inSoak({ kills: 200, questions: 1_000 }, { kills: 3, questions: 15 }));
});
