import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';

/** An unusable command line, or an unusable file that it names. */
export const usage = (message: string, options?: ErrorOptions): MidcallError =>
  new MidcallError('cli/usage', message, options);

/** @throws MidcallError `cli/usage` if it does not hold */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw usage(otherwise);
}

/** True if the environment has the key of the servers, with which they seal what they store. */
export const hasKey = (): boolean => Boolean(process.env['MIDCALL_KEY'] || process.env['MIDCALL_KEY_FILE']);

/** A file that the command line names is not there. @param path - resolved, so that the person sees where it was looked for */
export const noFile = (path: string, options?: ErrorOptions): MidcallError =>
  usage(`There is no file ${path}.`, options);

/**
 * Reads a file that the command line names.
 * @param what - the beginning of the sentence for one that is there but cannot be read
 * @throws MidcallError `cli/usage`
 */
export function readNamedFile(file: string, what: string): string {
  const path = resolve(file);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = own(cause, 'code');
    if (code === 'ENOENT') throw noFile(path, { cause });
    const why = code === 'EISDIR' ? ': it is a directory' : code === 'EACCES' ? ': you may not read it' : '';
    throw usage(`${what} ${path} cannot be read${why}.`, { cause });
  }
}
