/** One process at a time for a file. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { withFileLock } from '../../packages/host/src/files/file-lock.ts';

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

it('lock-F1: lets one in after the other, and leaves nothing behind', async () => {
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

it('lock-F2: breaks the lock of a process that is gone, once, with several waiting', async () => {
  const path = place();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  lockOf(path, { id, pid, host: hostname() });
  const ran: number[] = [];
  const all = Array.from({ length: 8 }, (_, at) => withFileLock(path, async () => void ran.push(at)));
  await Promise.all(all);
  expect(ran).toHaveLength(8);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it.each([
  ['a process that lives', { id, pid: process.pid, host: hostname() }],
  ['a process of another machine', { id, pid: 1, host: 'elsewhere' }],
  ['nobody that can be named', {}],
])('lock-F2, lock-F3: leaves the lock of %s, and names it when it has waited long enough', async (_, holder) => {
  const path = place();
  lockOf(path, holder);
  const waiting = withFileLock(path, async () => 'never', { clock: hasty() });
  await expect(waiting).rejects.toMatchObject({
    code: 'host/refused',
    message: expect.stringContaining(`remove ${path}.lock`),
  });
  expect(existsSync(`${path}.lock`)).toBe(true);
});
