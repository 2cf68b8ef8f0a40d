/**
 * New files in an open folder. A file is replaced by writing a new one beside it and renaming that into place, so that a
 * reader sees the old contents or the new, and a failure leaves the old. The disk is not flushed: after a power cut, what
 * was written last may be missing.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { writeAll } from './contents.ts';
import type { Leaf } from './leaf.ts';
import { fromSystem } from './refusal.ts';
import type { System } from './system.ts';

const flags = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | (fs.constants.O_NOFOLLOW ?? 0);

/** Creates the file of a leaf, which must not exist. */
export async function createFile(leaf: Leaf, data: Uint8Array): Promise<void> {
  await fill(leaf, leaf.at, data);
}

/** Creates or replaces the file of a leaf. What takes its place has its mode and, where we may set it, its owner. */
export async function replaceFile(leaf: Leaf, data: Uint8Array): Promise<void> {
  const { system } = leaf.placed.root;
  const temporary = `${leaf.at.slice(0, -leaf.name.length)}.midcall-${randomBytes(9).toString('hex')}`;
  await fill(leaf, temporary, data, leaf.thing?.stat);
  try {
    await system.rename(temporary, leaf.at);
  } catch (error) {
    await discard(system, temporary);
    throw fromSystem(leaf.placed.given, error);
  }
}

async function fill({ placed }: Leaf, at: string, data: Uint8Array, like?: fs.Stats): Promise<void> {
  const { system } = placed.root;
  let fd: number;
  try {
    fd = await system.open(at, flags, like ? 0o600 : 0o666);
  } catch (error) {
    throw fromSystem(placed.given, error);
  }
  try {
    await writeAll(system, fd, data);
    if (like) await resemble(system, fd, like);
  } catch (error) {
    await discard(system, at);
    throw fromSystem(placed.given, error);
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
    // Already gone; the error that brought us here is the one to tell.
  }
}
