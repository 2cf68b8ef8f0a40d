/**
 * Whole trees, directory by directory and each by descriptor: listing, walking, removing. Nothing here passes a tree to the
 * system by name: a recursive remove by name follows a directory that is swapped for a link, and deletes outside.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { DirectoryEntry } from './directory-entry.ts';
import type { Entry } from './files.ts';
import { kindOf } from './open-file.ts';
import type { Folder, Platform, ResolvedPath, Thing } from './platform.ts';
import { fromSystem, invalid } from './refusal.ts';
import type { Now } from './steps.ts';
import { codeOf } from './system.ts';
import { timeSlice } from './time-slice.ts';

/** What is in an open directory. */
export async function listFolder(platform: Platform, resolved: ResolvedPath, folder: Folder): Promise<Entry[]> {
  try {
    const base = folder.path.endsWith(platform.separator) ? folder.path : folder.path + platform.separator;
    return await resolved.root.system.entries(folder.at, each => ({
      name: each.name,
      path: base + each.name,
      kind: kindOf(each),
    }));
  } catch (error) {
    throw fromSystem(resolved.requested, error);
  }
}

/**
 * Everything below a directory that is not itself a directory. Each directory is opened again when its turn comes, so a walk
 * holds one descriptor however deep it goes; one that has moved is skipped.
 *
 * @param visit - runs one directory's work while its root is in use
 */
export async function* walkFrom(
  platform: Platform,
  start: ResolvedPath,
  visit: <T>(resolved: ResolvedPath, work: () => Promise<T>) => Now<T>,
  skip?: (entry: Entry) => boolean,
): AsyncGenerator<Entry> {
  let expected: string | undefined;
  const open = [{ resolved: start, expected }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { resolved } = next;
    ({ expected } = next);
    let entries: readonly Entry[];
    try {
      entries = await visit(resolved, async () => {
        const folder = await platform.folder(resolved);
        try {
          if (expected !== undefined && folder.path !== expected) return [];
          return await listFolder(platform, resolved, folder);
        } finally {
          folder.close();
        }
      });
    } catch (error) {
      const hasLeft = isMidcallError(error, 'roots/not-found') || isMidcallError(error, 'roots/outside');
      if (expected !== undefined && (hasLeft || isMidcallError(error, 'roots/invalid'))) continue;
      throw error;
    }
    const folders: { resolved: ResolvedPath; expected: string }[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'directory') yield entry;
      else if (!skip?.(entry)) {
        const rel = resolved.rel === '' ? entry.name : `${resolved.rel}${platform.separator}${entry.name}`;
        folders.push({ resolved: { ...resolved, rel }, expected: entry.path });
      }
    }
    open.push(...folders.reverse());
  }
}

/** Removes a file, a link itself, or an empty directory. */
export async function removeLeaf(entry: DirectoryEntry, thing: Thing): Promise<void> {
  const { system } = entry.resolved.root;
  try {
    if (thing.stat.isDirectory()) await system.rmdir(entry.at);
    else await system.unlink(entry.at);
  } catch (error) {
    throw fromSystem(entry.resolved.requested, error);
  }
}

/** Removes a directory and everything below it, or whatever else has the name. Links are removed, not followed. */
export async function removeBelow(platform: Platform, entry: DirectoryEntry, thing: Thing): Promise<void> {
  if (thing.stat.isDirectory()) await empty(platform, entry.resolved, thing);
  await removeLeaf(entry, thing);
}

/** Removes everything in an open directory. Names are kept as bytes, so that those that are not UTF-8 go too. */
async function empty(platform: Platform, resolved: ResolvedPath, folder: Thing): Promise<void> {
  const { system } = resolved.root;
  try {
    for (const each of await system.rawEntries(folder.at)) {
      const wait = timeSlice();
      if (wait) await wait;
      resolved.root.check();
      const at = Buffer.concat([Buffer.from(folder.at + platform.separator), each.name]);
      if (!each.isDirectory()) {
        await gone(() => system.unlink(at));
        continue;
      }
      const child = await platform.child(resolved, folder, each.name);
      if (!child) continue;
      try {
        if (child.stat.isDirectory()) {
          if (!(await platform.still(resolved, child)))
            throw invalid(resolved.requested, 'changed while it was being removed.');
          await empty(platform, resolved, child);
          await gone(() => system.rmdir(at));
        } else await gone(() => system.unlink(at));
      } finally {
        child.close();
      }
    }
  } catch (error) {
    throw fromSystem(resolved.requested, error);
  }
}

/** Someone else may have removed it first, which is fine. */
async function gone(remove: () => void | Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
