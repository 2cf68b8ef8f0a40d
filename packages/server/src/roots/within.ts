/**
 * Whether one path lies inside a directory, as text. Real paths are compared exactly, with {@link within}; typed names are only
 * *resolved* with {@link fold}, and the result is then compared exactly.
 *
 * Real paths are UTF-8 here. A directory whose real path is not valid UTF-8 is never accepted as a root (its path contains
 * `U+FFFD`), so a lossy name further down cannot turn an outside path into an inside one.
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

/** The part of `path` below `directory`, or '' if they are the same. Call only if {@link within} holds. */
export function below(path: string, directory: string, separator = '/'): string {
  if (path === directory) return '';
  return path.slice(directory.endsWith(separator) ? directory.length : directory.length + 1);
}

/** Folds names that a case-insensitive file system regards as the same; only used to resolve a typed name. */
export function fold(path: string, os: Os): string {
  if (os === 'win32') return path.toLowerCase();
  if (os === 'darwin') return path.normalize('NFC').toLowerCase();
  return path;
}
