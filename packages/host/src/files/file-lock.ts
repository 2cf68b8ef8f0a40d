/**
 * One process at a time for a file that several may change. The lock is a file beside it that names its holder.
 *
 * - lock-F1 A lock appears complete, and only if there is none, by `link`.
 * - lock-F2 Only the lock of a dead process of this machine is broken, or one that has named nobody for a minute, as after a
 *   power cut; and by one process only: it holds a second lock named after the first, and checks again before it acts. If it
 *   dies meanwhile, the second lock is broken in the same way.
 * - lock-F3 Waiting ends.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { fromJson, isRecord } from '@midcall/core/json';
import { draftIn, isMark, mayRun, ownMark, type ProcessMark } from '@midcall/core/node';
import { type Clock, pause, steadyNow, systemClock } from '@midcall/core/time';

/** Injected dependencies of a lock. */
export interface FileLockOptions {
  readonly clock?: Clock;
  /** How many milliseconds to wait for another process; 5,000 if absent. */
  readonly timeoutMs?: number;
}

/** Milliseconds between two tries. */
const pauseMs = 20;

/** After how many milliseconds a lock that names nobody is broken. A lock appears complete, so none is being written. */
const namelessMs = 60_000;

/** The ids of the locks that this process holds, or tries to place. */
const ownLocks = new Set<string>();

/**
 * Runs `work` while no other process does so for this file, whose directory exists.
 * @throws MidcallError `host/refused` if another process holds it for too long; what `work` throws
 * @example
 * ```ts
 * await withFileLock('/srv/my-host/list.json', async () => writeFile('/srv/my-host/list.json', text));
 * ```
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { clock = systemClock, timeoutMs = 5_000 }: FileLockOptions = {},
): Promise<T> {
  const lock = `${path}.lock`;
  const until = steadyNow(clock) + timeoutMs;
  for (;;) {
    const done = await ifFree(lock, work);
    if (done) return done.result;
    if (await broken(lock, lock, clock)) continue;
    if (steadyNow(clock) >= until)
      throw new MidcallError(
        'host/refused',
        `${path} is being changed by another process. If there is none, remove ${lock}.`,
      );
    await pause(pauseMs, clock);
  }
}

/**
 * Makes one change of a file after the other, and none while another process makes one; the folder of the file is made first.
 * @returns runs a change; it settles as the change does, which does not affect the next one
 */
export function fileChanges(path: string): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const next = last.then(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return withFileLock(path, work);
    });
    last = next.catch(() => {});
    return next;
  };
}

/** Runs `work` under a lock. @returns its result; undefined if there is such a lock already */
async function ifFree<T>(lock: string, work: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
  const id = randomUUID();
  ownLocks.add(id);
  try {
    if (!(await placed(lock, id))) return undefined;
    try {
      return { result: await work() };
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    ownLocks.delete(id);
  }
}

/** Writes a lock under another name, and links it to its own (lock-F1). @returns false if there is one already */
async function placed(lock: string, id: string): Promise<boolean> {
  const draft = await draftIn(dirname(lock));
  try {
    await writeFile(draft, JSON.stringify({ id, ...ownMark() }), { mode: 0o600, flag: 'wx' });
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Breaks a lock whose holder is dead; if somebody died while breaking it, theirs.
 * @param found - `lock`, or the lock of somebody who breaks it or another breaker's
 * @returns true if it did
 */
async function broken(found: string, lock: string, clock: Clock): Promise<boolean> {
  const dead = await deadLock(found, clock);
  if (dead === undefined) return false;
  // An id is never used again, so neither is this name.
  const breaker = `${lock}.${dead}`;
  const done = await ifFree(breaker, async () => {
    if ((await deadLock(found, clock)) !== dead) return false;
    await rm(found, { force: true });
    return true;
  });
  return done ? done.result : broken(breaker, lock, clock);
}

/** What distinguishes a lock that nobody holds from every other, as a part of a file name; undefined if somebody may hold it. */
async function deadLock(lock: string, clock: Clock): Promise<string | undefined> {
  const found = await contentOf(lock);
  if (!found) return undefined;
  const holder = holderIn(found.text);
  if (holder) return isDead(holder) ? holder.id : undefined;
  return clock.now() - found.changedMs > namelessMs ? `${found.inode}-${found.changedMs}` : undefined;
}

/** A lock's text, and which file has it; undefined if there is none, or it cannot be read. */
async function contentOf(
  lock: string,
): Promise<{ readonly text: string; readonly inode: number; readonly changedMs: number } | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(lock);
    const { ino, mtimeMs } = await file.stat();
    return { text: await file.readFile('utf8'), inode: ino, changedMs: Math.floor(mtimeMs) };
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

interface Holder extends ProcessMark {
  readonly id: string;
}

/** Who holds a lock; undefined if its text names nobody. */
function holderIn(text: string): Holder | undefined {
  const holder = fromJson(text);
  if (!isRecord(holder) || !isMark(holder)) return undefined;
  const { id } = holder as { readonly id?: unknown };
  return typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id) ? { ...holder, id } : undefined;
}

function isDead(holder: Holder): boolean {
  if (!mayRun(holder)) return true;
  // If the system does not say when a process began, an earlier one with our number looks like us.
  const own = ownMark();
  return holder.began === undefined && holder.pid === own.pid && holder.host === own.host && !ownLocks.has(holder.id);
}
