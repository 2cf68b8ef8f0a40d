/** The operator's directories ∩ the client's roots, on the real paths of directories that are held open. */
import { isMidcallError } from '@midcall/core/errors';
import type { Root } from '@midcall/core/roots';
import { toPath } from '@midcall/core/roots';
import type { Platform } from './platform.ts';
import { type HeldDirectory, RootHold } from './root-hold.ts';
import type { Dropped, Scope, ScopeRoot } from './scope.ts';
import { codeOf, mayEnter } from './system.ts';
import { below, fold, within } from './within.ts';

/** A directory that is held and may become a root. */
export interface Rooted {
  readonly directory: HeldDirectory;
  /** Other absolute paths that mean it. */
  readonly aliases: readonly string[];
  readonly name?: string;
  /** The URI it was granted by. */
  readonly uri?: string;
}

/** The maximum number of roots: more than a person would grant; each costs a descriptor. */
const most = 256;

interface Intersecting {
  /** The operator's directories, if they limit what may be said about a root. */
  readonly bounds: readonly Rooted[] | undefined;
  readonly dropped: Dropped[];
  /** Every directory held on the way, for the caller to keep or close. */
  readonly opened: Rooted[];
  /** The previous real path of each root, if it may not lead anywhere else. */
  readonly pins: ReadonlyMap<string, string> | undefined;
}

/** The client's roots that can be used. For the others, `dropped` gets a reason that reveals nothing outside. */
export function clientRoots(platform: Platform, roots: readonly Root[], context: Intersecting): Rooted[] {
  const usable: Rooted[] = [];
  for (const root of roots.slice(0, most)) {
    const outcome = clientRoot(platform, root, context);
    if (typeof outcome === 'string') context.dropped.push({ uri: root.uri, reason: outcome });
    else usable.push(outcome);
  }
  if (roots.length > most)
    context.dropped.push({ uri: roots[most]!.uri, reason: `only the first ${most} roots are used` });
  return usable;
}

const apart = 'it lies outside what the operator allows';

function clientRoot(
  platform: Platform,
  root: Root,
  { bounds: told, opened: taken, pins }: Intersecting,
): Rooted | string {
  let path: string;
  try {
    path = toPath(root.uri, platform.os === 'win32' ? 'win32' : 'posix');
  } catch (error) {
    if (isMidcallError(error)) return error.message;
    throw error;
  }
  // Outside what the operator allows, nothing is said about what is there.
  const telling = !told || told.some(each => namesInside(platform, path, each));
  let directory: HeldDirectory;
  try {
    directory = platform.hold(path);
  } catch (error) {
    if (!telling) return apart;
    return codeOf(error) === 'ENOTDIR' ? 'it is not a directory' : 'it does not exist or cannot be opened';
  }
  const aliases = path === directory.path ? [] : [path];
  const rooted = { directory, aliases, uri: root.uri, ...(root.name === undefined ? {} : { name: root.name }) };
  taken.push(rooted);
  if (told && !told.some(each => touches(directory.path, each.directory.path, platform.separator))) return apart;
  if (pins && pins.get(root.uri) !== directory.path) return 'it no longer leads where it did when the client was asked';
  if (directory.path.includes('\ufffd')) return 'its real path is not valid UTF-8';
  return mayEnter(directory.at) ? rooted : 'it cannot be read by this server';
}

function namesInside(platform: Platform, path: string, { directory, aliases }: Rooted): boolean {
  const folded = fold(path, platform.os);
  return [directory.path, ...aliases].some(each => within(folded, fold(each, platform.os), platform.separator));
}

const touches = (one: string, other: string, separator: string): boolean =>
  within(one, other, separator) || within(other, one, separator);

/** The smaller of each nested pair; separate pairs give nothing. */
export function intersect(granted: readonly Rooted[], allowed: readonly Rooted[], separator: string): Rooted[] {
  const both: Rooted[] = [];
  for (const root of granted) {
    for (const directory of allowed) {
      if (within(root.directory.path, directory.directory.path, separator))
        both.push(alias(root, directory, separator));
      else if (within(directory.directory.path, root.directory.path, separator)) {
        const { name: _, ...inner } = directory;
        both.push(alias({ ...inner, ...(root.uri === undefined ? {} : { uri: root.uri }) }, root, separator));
      }
    }
  }
  return both;
}

/** `inner`, also known by the other names of `outer`, which contains it. */
function alias(inner: Rooted, outer: Rooted, separator: string): Rooted {
  const rest = below(inner.directory.path, outer.directory.path, separator);
  const more = outer.aliases.map(path =>
    rest === '' ? path : `${path}${path.endsWith(separator) ? '' : separator}${rest}`,
  );
  return { ...inner, aliases: [...new Set([...inner.aliases, ...more])].filter(path => path !== inner.directory.path) };
}

/**
 * Makes the effective roots: one per directory, newly held or reused; closes the rest.
 *
 * @param opened - every directory that was held on the way
 */
export function reuse(effective: readonly Rooted[], opened: readonly Rooted[], before: Scope | undefined): ScopeRoot[] {
  const roots = new Map<string, ScopeRoot>();
  const usedDirectories = new Set<HeldDirectory>();
  for (const { directory, aliases, name } of effective) {
    const sameDirectory = roots.get(directory.path);
    const label = sameDirectory?.name ?? name;
    const earlier = before?.roots.find(
      root => root.hold.live && root.path === directory.path && root.hold.identity === directory.identity,
    );
    let hold = sameDirectory?.hold;
    if (!hold && earlier) hold = earlier.hold.retain();
    if (!hold) {
      hold = new RootHold(directory);
      usedDirectories.add(directory);
    }
    roots.set(directory.path, {
      hold,
      path: directory.path,
      aliases: [...new Set([...(sameDirectory?.aliases ?? []), ...aliases])],
      ...(label === undefined ? {} : { name: label }),
    });
  }
  for (const { directory } of opened) if (!usedDirectories.has(directory)) directory.close();
  return [...roots.values()];
}
