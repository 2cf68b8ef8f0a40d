/**
 * Renaming without ever replacing an existing entry, which `rename(2)` alone does not guarantee.
 *
 * - A file, a link or a device: linked under the new name, which fails if the name is taken, then unlinked.
 * - A directory: an empty one is made under the new name, which fails if it is taken, and the directory is renamed onto it; the
 *   kernel refuses that as soon as anything was put into it.
 * - If the file system has no hard links: an empty file claims the name and the file is renamed onto it. Data written into that
 *   placeholder in the same instant is lost.
 */
import * as fs from 'node:fs';
import { closeEntry, type DirectoryEntry, entryOf } from './directory-entry.ts';
import type { Platform, ResolvedPath } from './platform.ts';
import { exists, fromSystem, invalid, notFound } from './refusal.ts';
import { codeOf } from './system.ts';

const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Moves what `source` names to a free name. Missing folders on the way are created. */
export async function moveEntry(platform: Platform, source: ResolvedPath, target: ResolvedPath): Promise<void> {
  const from = await entryOf(platform, source);
  try {
    if (!from.thing) throw notFound(source.requested);
    if (from.thing.stat.isDirectory() && isBelow(platform, source, target))
      throw invalid(target.requested, 'lies inside the directory that is to be moved.');
    const to = await entryOf(platform, target, { makeFolders: true });
    try {
      if (to.thing) throw exists(target.requested);
      if (from.thing.stat.isDirectory()) await moveDirectory(platform, from, to);
      else await moveFile(from, to);
    } finally {
      closeEntry(to);
    }
  } finally {
    closeEntry(from);
  }
}

const isBelow = (platform: Platform, source: ResolvedPath, target: ResolvedPath): boolean =>
  source.root === target.root && `${target.rel}${platform.separator}`.startsWith(`${source.rel}${platform.separator}`);

async function moveFile(from: DirectoryEntry, to: DirectoryEntry): Promise<void> {
  const { system } = to.resolved.root;
  try {
    await system.link(from.at, to.at);
  } catch (error) {
    if (!noLinks.has(codeOf(error) ?? '')) throw fromSystem(to.resolved.requested, error);
    await claimAndRename(from, to);
    return;
  }
  try {
    await system.unlink(from.at);
  } catch (error) {
    // The old name could not be removed (a sticky folder, a read-only mount): remove the new one, so that nothing has changed.
    if (codeOf(error) === 'ENOENT') return;
    await system.unlink(to.at);
    throw fromSystem(from.resolved.requested, error);
  }
}

async function claimAndRename(from: DirectoryEntry, to: DirectoryEntry): Promise<void> {
  const { system } = to.resolved.root;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  try {
    await system.close(await system.open(to.at, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600));
  } catch (error) {
    throw fromSystem(to.resolved.requested, error);
  }
  try {
    await system.rename(from.at, to.at);
  } catch (error) {
    await system.unlink(to.at);
    throw fromSystem(from.resolved.requested, error);
  }
}

async function moveDirectory(platform: Platform, from: DirectoryEntry, to: DirectoryEntry): Promise<void> {
  const { system } = to.resolved.root;
  try {
    // Windows renames a directory only to a free name, and fails if something is there.
    if (platform.os !== 'win32') await system.mkdir(to.at);
  } catch (error) {
    throw fromSystem(to.resolved.requested, error);
  }
  try {
    await system.rename(from.at, to.at);
  } catch (error) {
    const targetInUse = codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST';
    if (!targetInUse && platform.os !== 'win32') await system.rmdir(to.at);
    throw targetInUse ? exists(to.resolved.requested) : fromSystem(from.resolved.requested, error);
  }
}
