/**
 * The last step of a name, for operations that change something: the folder it is in, open, and what is there now.
 * Everything then acts on `<folder>/<leaf>`, which the kernel resolves from the open folder.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { Folder, Ground, Placed, Thing } from './ground.ts';
import { fromSystem, invalid } from './refusal.ts';
import { codeOf } from './system.ts';

/** A name in an open folder. Close it with {@link closeLeaf}. */
export interface Leaf {
  readonly placed: Placed;
  readonly folder: Folder;
  readonly name: string;
  /** The path to act on. */
  readonly at: string;
  /** What is there; links not followed. */
  readonly thing: Thing | undefined;
}

export function closeLeaf(leaf: Leaf): void {
  leaf.thing?.close();
  leaf.folder.close();
}

/** The rel of the folder and the last name. Refuses for the root itself. */
function split(placed: Placed, separator: string): { up: string; name: string } {
  const { rel } = placed;
  if (rel === '') throw invalid(placed.given, 'is an allowed folder itself; name something in it.');
  const cut = rel.lastIndexOf(separator);
  return cut < 0 ? { up: '', name: rel } : { up: rel.slice(0, cut), name: rel.slice(cut + 1) };
}

/**
 * Opens the folder of a name and looks at what is there.
 *
 * @param options - `makeFolders`: create what is missing on the way, one folder at a time
 */
export async function leafOf(
  ground: Ground,
  placed: Placed,
  options: { readonly makeFolders?: boolean } = {},
): Promise<Leaf> {
  const { up, name } = split(placed, ground.separator);
  const above = { ...placed, rel: up };
  const folder = options.makeFolders ? await makeFolders(ground, above) : await ground.folder(above);
  try {
    const thing = await ground.child(placed, folder, name);
    return { placed, folder, name, at: `${folder.at}${ground.separator}${name}`, thing };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The leaf that contents belong to: links are followed to their end, which lies inside and may be in another folder. */
export async function contentLeaf(ground: Ground, placed: Placed, replace: (real: string) => Placed): Promise<Leaf> {
  let current = placed;
  for (let step = 0; step < 16; step += 1) {
    const leaf = await leafOf(ground, current, { makeFolders: true });
    if (leaf.thing === undefined || leaf.thing.stat.isFile()) return leaf;
    const isLink = leaf.thing.stat.isSymbolicLink();
    closeLeaf(leaf);
    if (!isLink)
      throw invalid(placed.given, leaf.thing.stat.isDirectory() ? 'is a directory.' : 'is not a regular file.');
    const target = await ground.thing(current);
    target.close();
    current = replace(target.path);
  }
  throw fromSystem(placed.given, { code: 'EBUSY' });
}

/** Opens a folder, creating what is missing one name at a time in the folder above, which is open. */
export async function makeFolders(ground: Ground, placed: Placed): Promise<Folder> {
  try {
    return await ground.folder(placed);
  } catch (error) {
    if (!isMidcallError(error, 'roots/not-found') || placed.rel === '') throw error;
  }
  let folder = await ground.folder({ ...placed, rel: '' });
  const names = placed.rel.split(ground.separator);
  for (let count = 1; count <= names.length; count += 1) {
    const here = { ...placed, rel: names.slice(0, count).join(ground.separator) };
    try {
      const next = await open(ground, here, folder, names[count - 1]!);
      folder.close();
      folder = next;
    } catch (error) {
      folder.close();
      throw fromSystem(placed.given, error);
    }
  }
  return folder;
}

async function open(ground: Ground, placed: Placed, above: Folder, name: string): Promise<Folder> {
  try {
    return await ground.folder(placed);
  } catch (error) {
    if (!isMidcallError(error, 'roots/not-found')) throw error;
  }
  try {
    await placed.root.system.mkdir(`${above.at}${ground.separator}${name}`);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return await ground.folder(placed);
}
