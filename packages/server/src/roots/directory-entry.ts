/**
 * The last step of a name, for operations that change something: the folder it is in, open, and what is there now.
 * Everything then acts on `<folder>/<entry>`, which the kernel resolves from the open folder.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { Folder, Platform, ResolvedPath, Thing } from './platform.ts';
import { fromSystem, invalid } from './refusal.ts';
import { codeOf } from './system.ts';

/** A name in an open folder. Close it with {@link closeEntry}. */
export interface DirectoryEntry {
  readonly resolved: ResolvedPath;
  readonly folder: Folder;
  readonly name: string;
  /** The path to act on. */
  readonly at: string;
  /** What is there; links not followed. */
  readonly thing: Thing | undefined;
}

export function closeEntry(entry: DirectoryEntry): void {
  entry.thing?.close();
  entry.folder.close();
}

/** The rel of the folder and the last name. Refuses for the root itself. */
function split(resolved: ResolvedPath, separator: string): { up: string; name: string } {
  const { rel } = resolved;
  if (rel === '') throw invalid(resolved.requested, 'is an allowed folder itself; name something in it.');
  const cut = rel.lastIndexOf(separator);
  return cut < 0 ? { up: '', name: rel } : { up: rel.slice(0, cut), name: rel.slice(cut + 1) };
}

/**
 * Opens the folder of a name and looks at what is there.
 *
 * @param options - `makeFolders`: create what is missing on the way, one folder at a time
 */
export async function entryOf(
  platform: Platform,
  resolved: ResolvedPath,
  options: { readonly makeFolders?: boolean } = {},
): Promise<DirectoryEntry> {
  const { up, name } = split(resolved, platform.separator);
  const above = { ...resolved, rel: up };
  const folder = options.makeFolders ? await makeFolders(platform, above) : await platform.folder(above);
  try {
    const thing = await platform.child(resolved, folder, name);
    return { resolved, folder, name, at: `${folder.at}${platform.separator}${name}`, thing };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The entry that contents belong to: links are followed to their end, which lies inside and may be in another folder. */
export async function contentEntry(
  platform: Platform,
  resolved: ResolvedPath,
  replace: (real: string) => ResolvedPath,
): Promise<DirectoryEntry> {
  let current = resolved;
  for (let step = 0; step < 16; step += 1) {
    const entry = await entryOf(platform, current, { makeFolders: true });
    if (entry.thing === undefined || entry.thing.stat.isFile()) return entry;
    const isLink = entry.thing.stat.isSymbolicLink();
    closeEntry(entry);
    if (!isLink)
      throw invalid(resolved.requested, entry.thing.stat.isDirectory() ? 'is a directory.' : 'is not a regular file.');
    const target = await platform.thing(current);
    target.close();
    current = replace(target.path);
  }
  throw fromSystem(resolved.requested, { code: 'EBUSY' });
}

/** Opens a folder, creating what is missing one name at a time in the folder above, which is open. */
export async function makeFolders(platform: Platform, resolved: ResolvedPath): Promise<Folder> {
  try {
    return await platform.folder(resolved);
  } catch (error) {
    if (!isMidcallError(error, 'roots/not-found') || resolved.rel === '') throw error;
  }
  let folder = await platform.folder({ ...resolved, rel: '' });
  const names = resolved.rel.split(platform.separator);
  for (let count = 1; count <= names.length; count += 1) {
    const parent = { ...resolved, rel: names.slice(0, count).join(platform.separator) };
    try {
      const next = await open(platform, parent, folder, names[count - 1]!);
      folder.close();
      folder = next;
    } catch (error) {
      folder.close();
      throw fromSystem(resolved.requested, error);
    }
  }
  return folder;
}

async function open(platform: Platform, resolved: ResolvedPath, above: Folder, name: string): Promise<Folder> {
  try {
    return await platform.folder(resolved);
  } catch (error) {
    if (!isMidcallError(error, 'roots/not-found')) throw error;
  }
  try {
    await resolved.root.system.mkdir(`${above.at}${platform.separator}${name}`);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return await platform.folder(resolved);
}
