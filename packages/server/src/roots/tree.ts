/**
 * Whole trees, directory by directory and each by descriptor: listing, walking, removing. Nothing here hands a tree to
 * the system by name; a recursive remove by name follows a directory that is swapped for a link and deletes outside.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { Entry } from './files.ts';
import type { Folder, Ground, Placed, Thing } from './ground.ts';
import type { Leaf } from './leaf.ts';
import { kindOf } from './open-file.ts';
import { pace } from './pace.ts';
import { fromSystem, invalid } from './refusal.ts';
import type { Now } from './steps.ts';
import { codeOf } from './system.ts';

/** What is in an open directory. */
export async function listFolder(ground: Ground, placed: Placed, folder: Folder): Promise<Entry[]> {
  try {
    const base = folder.path.endsWith(ground.separator) ? folder.path : folder.path + ground.separator;
    return await placed.root.system.entries(folder.at, each => ({
      name: each.name,
      path: base + each.name,
      kind: kindOf(each),
    }));
  } catch (error) {
    throw fromSystem(placed.given, error);
  }
}

/**
 * Everything below a directory that is not itself a directory. Each directory is opened anew when its turn comes, so a
 * walk holds one descriptor however deep it goes; one that is no longer where it was found is left out.
 *
 * @param visit - runs one directory's work while its root is in use
 */
export async function* walkFrom(
  ground: Ground,
  start: Placed,
  visit: <T>(placed: Placed, work: () => Promise<T>) => Now<T>,
  skip?: (entry: Entry) => boolean,
): AsyncGenerator<Entry> {
  let expected: string | undefined;
  const open = [{ placed: start, expected }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { placed } = next;
    ({ expected } = next);
    let found: readonly Entry[];
    try {
      found = await visit(placed, async () => {
        const folder = await ground.folder(placed);
        try {
          if (expected !== undefined && folder.path !== expected) return [];
          return await listFolder(ground, placed, folder);
        } finally {
          folder.close();
        }
      });
    } catch (error) {
      const gone = isMidcallError(error, 'roots/not-found') || isMidcallError(error, 'roots/outside');
      if (expected !== undefined && (gone || isMidcallError(error, 'roots/invalid'))) continue;
      throw error;
    }
    const folders: { placed: Placed; expected: string }[] = [];
    for (const entry of found) {
      if (entry.kind !== 'directory') yield entry;
      else if (!skip?.(entry)) {
        const rel = placed.rel === '' ? entry.name : `${placed.rel}${ground.separator}${entry.name}`;
        folders.push({ placed: { ...placed, rel }, expected: entry.path });
      }
    }
    open.push(...folders.reverse());
  }
}

/** Removes a file, a link itself, or an empty directory. */
export async function removeLeaf(leaf: Leaf, thing: Thing): Promise<void> {
  const { system } = leaf.placed.root;
  try {
    if (thing.stat.isDirectory()) await system.rmdir(leaf.at);
    else await system.unlink(leaf.at);
  } catch (error) {
    throw fromSystem(leaf.placed.given, error);
  }
}

/** Removes a directory and everything below it, or whatever else has the name. Links are removed, not followed. */
export async function removeBelow(ground: Ground, leaf: Leaf, thing: Thing): Promise<void> {
  if (thing.stat.isDirectory()) await empty(ground, leaf.placed, thing);
  await removeLeaf(leaf, thing);
}

/** Removes everything in an open directory. Names are kept as bytes, so that those that are not UTF-8 go too. */
async function empty(ground: Ground, placed: Placed, folder: Thing): Promise<void> {
  const { system } = placed.root;
  try {
    for (const each of await system.rawEntries(folder.at)) {
      const wait = pace();
      if (wait) await wait;
      placed.root.check();
      const at = Buffer.concat([Buffer.from(folder.at + ground.separator), each.name]);
      if (!each.isDirectory()) {
        await gone(() => system.unlink(at));
        continue;
      }
      const child = await ground.child(placed, folder, each.name);
      if (!child) continue;
      try {
        if (child.stat.isDirectory()) {
          if (!(await ground.still(placed, child))) throw invalid(placed.given, 'changed while it was being removed.');
          await empty(ground, placed, child);
          await gone(() => system.rmdir(at));
        } else await gone(() => system.unlink(at));
      } finally {
        child.close();
      }
    }
  } catch (error) {
    throw fromSystem(placed.given, error);
  }
}

/** Someone else may have removed it first, which is what was wanted. */
async function gone(remove: () => void | Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
