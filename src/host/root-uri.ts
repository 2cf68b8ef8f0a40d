/** Root URI <-> path on this machine. */
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MidcallError } from '../errors.ts';

/** The `file:` URI of an absolute path. @throws MidcallError `roots/invalid` */
export function toUri(path: string): string {
  if (!isAbsolute(path)) throw new MidcallError('roots/invalid', 'A root is an absolute path or a file: URI.');
  return pathToFileURL(resolve(path)).href;
}

/** The path a `file:` URI stands for. @throws MidcallError `roots/invalid` */
export function toPath(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new MidcallError('roots/invalid', 'This is not a usable file: URI.', { cause });
  }
}
