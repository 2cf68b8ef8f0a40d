/**
 * New files in an open folder. A file is replaced by writing a new one beside it and renaming that into place, so that a reader
 * sees the old contents or the new, and a failure leaves the old. The disk is not flushed: after a power cut, the last writes
 * may be missing.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { writeAll } from './contents.ts';
import type { DirectoryEntry } from './directory-entry.ts';
import { fromSystem } from './refusal.ts';
import type { System } from './system.ts';

const flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | (fs.constants.O_NOFOLLOW ?? 0);

/** Creates the file of an entry, which must not exist. */
export async function createFile(entry: DirectoryEntry, data: Uint8Array): Promise<void> {
  await fill(entry, entry.at, data);
}

/** Creates or replaces the file of an entry. The replacement keeps its mode and, if we may set it, its owner. */
export async function replaceFile(entry: DirectoryEntry, data: Uint8Array): Promise<void> {
  const { system } = entry.resolved.root;
  const temporary = `${entry.at.slice(0, -entry.name.length)}.midcall-${randomBytes(9).toString('hex')}`;
  await fill(entry, temporary, data, entry.thing?.stat);
  try {
    await system.rename(temporary, entry.at);
  } catch (error) {
    await discard(system, temporary);
    throw fromSystem(entry.resolved.requested, error);
  }
}

async function fill({ resolved }: DirectoryEntry, at: string, data: Uint8Array, like?: fs.Stats): Promise<void> {
  const { system } = resolved.root;
  let fd: number;
  try {
    fd = await system.open(at, flags, like ? 0o600 : 0o666);
  } catch (error) {
    throw fromSystem(resolved.requested, error);
  }
  try {
    await writeAll(system, fd, data);
    if (like) await resemble(system, fd, like);
  } catch (error) {
    await discard(system, at);
    throw fromSystem(resolved.requested, error);
  } finally {
    fs.closeSync(fd);
  }
}

async function resemble(system: System, fd: number, like: fs.Stats): Promise<void> {
  const now = await system.fstat(fd);
  if (now.uid !== like.uid || now.gid !== like.gid) {
    try {
      await system.fchown(fd, like.uid, like.gid);
    } catch {
      // Only the superuser may give files away.
    }
  }
  await system.fchmod(fd, like.mode & 0o777);
}

async function discard(system: System, at: string): Promise<void> {
  try {
    await system.unlink(at);
  } catch {
    // Already gone; the error that brought us here is the one to report.
  }
}
