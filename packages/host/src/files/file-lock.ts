/**
 * One process at a time for a file that several may change. The lock is a file beside it that names its holder.
 *
 * - lock-F1 A lock appears complete, and only if there is none, by `link`.
 * - lock-F2 Only the lock of a dead process of this machine is broken, and by one process only: it holds a second lock named
 *   after the first, and checks again before it acts.
 * - lock-F3 Waiting ends.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { type Clock, steadyNow, systemClock } from '@midcall/core/time';
import { isAlive } from './process-mark.ts';

/** Injected dependencies of a lock. */
export interface FileLockOptions {
  readonly clock?: Clock;
  /** How many milliseconds to wait for another process; 5,000 if absent. */
  readonly timeoutMs?: number;
}

/** Milliseconds between two tries. */
const pauseMs = 20;

/**
 * Runs `work` while no other process does so for this file, whose directory exists.
 * @throws MidcallError `host/refused` if another process holds it for too long; what `work` throws
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { clock = systemClock, timeoutMs = 5_000 }: FileLockOptions = {},
): Promise<T> {
  const lock = `${path}.lock`;
  const until = steadyNow(clock) + timeoutMs;
  await withDraft(lock, async draft => {
    while (!(await placed(draft, lock))) {
      if (await broken(lock)) continue;
      if (steadyNow(clock) >= until)
        throw new MidcallError(
          'host/refused',
          `${path} is being changed by another process. If there is none, remove ${lock}.`,
        );
      await new Promise<void>(resolve => clock.after(pauseMs, resolve));
    }
  });
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Writes the lock under another name, which exists for as long as `place` takes. */
async function withDraft<T>(lock: string, place: (draft: string) => Promise<T>): Promise<T> {
  const draft = join(dirname(lock), `.${randomUUID()}.tmp`);
  try {
    const holder = JSON.stringify({ id: randomUUID(), pid: process.pid, host: hostname() });
    await writeFile(draft, holder, { mode: 0o600, flag: 'wx' });
    return await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** @returns false if there is a lock already */
async function placed(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Breaks a lock whose holder is dead. @returns true if it did */
async function broken(lock: string): Promise<boolean> {
  const deadId = await deadHolder(lock);
  if (deadId === undefined) return false;
  const breaker = join(dirname(lock), `${basename(lock)}.${deadId}`);
  if (!(await withDraft(breaker, draft => placed(draft, breaker)))) return false;
  try {
    if ((await deadHolder(lock)) !== deadId) return false;
    await rm(lock);
    return true;
  } finally {
    await rm(breaker, { force: true });
  }
}

/** The id of a lock whose holder is known to be dead. */
async function deadHolder(lock: string): Promise<string | undefined> {
  let holder: { readonly id?: unknown; readonly pid?: unknown; readonly host?: unknown } | null;
  try {
    holder = JSON.parse(await readFile(lock, 'utf8')) as typeof holder;
  } catch {
    return undefined;
  }
  const { id, pid, host } = holder ?? {};
  if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id) || typeof pid !== 'number' || host !== hostname())
    return undefined;
  return isAlive(pid) ? undefined : id;
}
