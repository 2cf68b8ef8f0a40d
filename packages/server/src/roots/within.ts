/**
 * Whether one path lies inside a directory, as text. Real paths are compared with {@link within}, exactly; names that
 * were typed are only *resolved* with {@link fold} first, and what they lead to is compared exactly afterwards.
 *
 * Real paths are UTF-8 here. A directory whose real path is not is never taken as a root (`U+FFFD` in it says so), so a
 * lossy name further down cannot turn an outside path into an inside one.
 */
import { posix, win32 } from 'node:path';

export type Os = 'linux' | 'darwin' | 'win32';

/** The operating system we are on; every other Unix is treated as Linux without its /proc. */
export const thisOs = (): Os =>
  process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';

export const pathsOf = (os: Os): typeof posix => (os === 'win32' ? win32 : posix);

/** True if `path` is `directory` or below it. Both absolute and normal, with one separator style. */
export function within(path: string, directory: string, separator = '/'): boolean {
  if (path === directory) return true;
  if (directory.endsWith(separator)) return path.startsWith(directory);
  return path.length > directory.length && path.startsWith(directory) && path[directory.length] === separator;
}

/** The part of `path` below `directory`, or '' where they are the same. Call only if {@link within} holds. */
export function below(path: string, directory: string, separator = '/'): string {
  if (path === directory) return '';
  return path.slice(directory.endsWith(separator) ? directory.length : directory.length + 1);
}

/** What a file system that ignores case takes for the same name; only ever used to place a typed name. */
export function fold(path: string, os: Os): string {
  if (os === 'win32') return path.toLowerCase();
  if (os === 'darwin') return path.normalize('NFC').toLowerCase();
  return path;
}
