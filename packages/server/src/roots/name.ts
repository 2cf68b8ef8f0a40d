/**
 * Resolves a name to (root, path below it), as text only. A name is relative to a root, absolute, or a `file:` URI; all three
 * mean the same. `..` is resolved as text, never past the root. Where the name leads is checked when it is opened.
 */
import { posix } from 'node:path';
import { isMidcallError } from '@midcall/core/errors';
import { toPath } from '@midcall/core/roots';
import type { Platform } from './platform.ts';
import { type AllowedFolders, invalid, outside } from './refusal.ts';
import { below, fold, pathsOf, within } from './within.ts';

/** Linux's limit for one path is 4,096 bytes with its end; this leaves room for the prefix of a held root. */
const longest = 4000;

/** A root as names are matched against it. */
export interface NamedRoot {
  /** Real path. */
  readonly path: string;
  /** Other absolute paths by which it was granted, e.g. through a link. */
  readonly aliases: readonly string[];
}

export interface Place<R> {
  readonly root: R;
  readonly rel: string;
}

/**
 * The places a name may mean: one for an absolute name or URI, one in each root for a relative name.
 *
 * @throws MidcallError roots/outside, roots/invalid
 */
export function placesOf<R extends NamedRoot>(
  requested: string,
  roots: readonly R[],
  platform: Pick<Platform, 'os' | 'separator'>,
  bounds: AllowedFolders,
): Place<R>[] {
  if (typeof requested !== 'string') throw invalid(String(requested), 'is not a path.');
  if (requested === '') throw invalid(requested, "is empty; write '.' for the folder itself.");
  if (requested.includes('\u0000')) throw invalid(requested, 'has a NUL in it.');
  if (/\p{Surrogate}/u.test(requested)) throw invalid(requested, 'is not valid Unicode.');
  if (requested.length > 4 * longest) throw invalid(requested, 'is too long for the file system.');
  const paths = pathsOf(platform.os);
  const style = platform.os === 'win32' ? 'win32' : 'posix';
  let name = requested;
  if (/^file:/i.test(requested)) {
    try {
      name = toPath(requested, style);
    } catch (error) {
      if (isMidcallError(error)) throw invalid(requested, `cannot be used: ${error.message}`);
      throw error;
    }
  } else if (/^[a-z][a-z0-9+.-]+:\/\//i.test(requested)) {
    throw invalid(requested, 'is not a path or a file: URI.');
  } else if (style === 'posix' && /^[a-z]:[\\/]/i.test(requested)) {
    throw invalid(requested, 'is a Windows path, and this server does not run on Windows.');
  } else if (style === 'win32' && !isSafeWindowsName(requested)) {
    throw invalid(
      requested,
      'is a device, a stream, or relative to a drive; write a full path or one below the folder.',
    );
  }
  if (Buffer.byteLength(name) > longest) throw invalid(requested, 'is too long for the file system.');
  if (paths.isAbsolute(name)) return [absolutePlace(requested, normal(name, paths), roots, platform, bounds)];
  const rel = stripTail(normal(name, paths), platform.separator);
  if (rel === '..' || rel.startsWith(`..${platform.separator}`)) throw outside(requested, bounds);
  return roots.map(root => ({ root, rel: rel === '.' ? '' : rel }));
}

/** Like `normalize`, but faster for most names, which are normal already. */
function normal(name: string, paths: typeof posix): string {
  return paths === posix && !/^\.|\/[./]/.test(name) ? name : paths.normalize(name);
}

function stripTail(path: string, separator: string): string {
  return path.length > 1 && path.endsWith(separator) ? path.slice(0, -1) : path;
}

function absolutePlace<R extends NamedRoot>(
  requested: string,
  normal: string,
  roots: readonly R[],
  platform: Pick<Platform, 'os' | 'separator'>,
  bounds: AllowedFolders,
): Place<R> {
  const path = stripTail(normal, platform.separator);
  const folded = fold(path, platform.os);
  let best: { root: R; directory: string } | undefined;
  for (const root of roots) {
    for (const directory of [root.path, ...root.aliases]) {
      if (!within(folded, fold(directory, platform.os), platform.separator)) continue;
      if (!best || directory.length > best.directory.length) best = { root, directory };
    }
  }
  if (!best) throw outside(requested, bounds);
  if (folded === path) return { root: best.root, rel: below(path, best.directory, platform.separator) };
  const depth = stripTail(best.directory, platform.separator).split(platform.separator).length;
  return { root: best.root, rel: path.split(platform.separator).slice(depth).join(platform.separator) };
}

/** False for `C:x`, `\\?\…`, `\\.\…`, `name:stream` and devices, which do not mean what they say. */
function isSafeWindowsName(path: string): boolean {
  if (/^[\\/]{2}[.?]/.test(path)) return false;
  const rest = path.replace(/^[a-z]:(?=[\\/])/i, '');
  if (rest.includes(':')) return false;
  return !rest
    .split(/[\\/]/)
    .some(name => /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i.test(name));
}
