/** One process at a time for a file. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownMark } from '@midcall/core/node';
import { expect, it } from 'vitest';
import { withFileLock } from '../../../packages/host/src/files/file-lock.ts';

const place = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-lock-')), 'file.json');
const id = '00000000-0000-4000-8000-000000000000';
const lockOf = (path: string, holder: object): void => writeFileSync(`${path}.lock`, JSON.stringify(holder));
/** A clock whose time passes by itself. */
const hasty = () => {
  let now = 0;
  return {
    now: () => now,
    after(ms: number, fn: () => void) {
      now += ms;
      setImmediate(fn);
      return () => {};
    },
  };
};

it('lock-F1: the lock lets one in after the other, and leaves nothing behind', async () => {
  const path = place();
  let inside = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise(resolve => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work)));
  await expect(withFileLock(path, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(readdirSync(dirname(path))).toEqual([]);
});

/** A file whose lock was written two minutes ago. */
function oldLock(path: string, text: string): void {
  writeFileSync(`${path}.lock`, text);
  const then = Date.now() / 1_000 - 120;
  utimesSync(`${path}.lock`, then, then);
}

it.each([
  ['of a process that is gone', { id, pid: spawnSync(process.execPath, ['-e', '']).pid, host: hostname() }],
  ['of an earlier process with our number', { id, ...ownMark(), began: '1' }],
  ['of such a process, where the system does not say when it began', { id, pid: process.pid, host: hostname() }],
  ['that has been empty for a minute', ''],
  ['that has named nobody for a minute', '{}'],
])('lock-F2: a lock %s is broken once, however many wait for it', async (_, holder) => {
  const path = place();
  if (typeof holder === 'string') oldLock(path, holder);
  else lockOf(path, holder);
  const ran: number[] = [];
  const all = Array.from({ length: 8 }, (_, at) => withFileLock(path, async () => void ran.push(at)));
  await Promise.all(all);
  expect(ran).toHaveLength(8);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it('lock-F2: locks of processes that died, one after the other, while they broke a lock, are broken', async () => {
  const path = place();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const ids = ['1', '2', '3'].map(each => id.replace(/0$/, each));
  lockOf(path, { id, pid, host: hostname() });
  for (const [at, breaker] of ids.entries())
    writeFileSync(`${path}.lock.${[id, ...ids][at]}`, JSON.stringify({ id: breaker, pid, host: hostname() }));
  const ran: number[] = [];
  await Promise.all(Array.from({ length: 8 }, (_, at) => withFileLock(path, async () => void ran.push(at))));
  expect(ran).toHaveLength(8);
  expect(readdirSync(dirname(path))).toEqual([]);
});

it.each([
  ['a process that lives', { id, pid: process.ppid, host: hostname() }],
  ['a process of another machine', { id, pid: 1, host: 'elsewhere' }],
  ['nobody that can be named', {}],
])('lock-F2, lock-F3: the lock of %s is left, and named after a wait that is long enough', async (_, holder) => {
  const path = place();
  lockOf(path, holder);
  const waiting = withFileLock(path, async () => 'never', { clock: hasty() });
  await expect(waiting).rejects.toMatchObject({
    code: 'host/refused',
    message: expect.stringContaining(`remove ${path}.lock`),
  });
  expect(existsSync(`${path}.lock`)).toBe(true);
});

it('lock-F2: a process leaves its own lock where the system does not say when a process began', async () => {
  const path = place();
  await withFileLock(path, async () => {
    const { began: _, ...holder } = JSON.parse(readFileSync(`${path}.lock`, 'utf8'));
    lockOf(path, holder);
    await expect(withFileLock(path, async () => 'never', { clock: hasty() })).rejects.toMatchObject({
      code: 'host/refused',
    });
  });
});
