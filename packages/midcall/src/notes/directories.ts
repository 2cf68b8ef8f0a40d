/**
 * Checks the directories that an operator names on the command line: each must be real and readable before anything is served.
 */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { oneLine } from './one-line.ts';

/**
 * Checks directories.
 * @param paths - as typed; relative ones from the current directory
 * @returns absolute, real paths, each once
 * @throws MidcallError `cli/usage` for one that is missing, is a file, or cannot be read
 */
export async function checkDirectories(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map(check));
  return [...new Set(real)];
}

async function check(directory: string): Promise<string> {
  const path = resolve(directory);
  try {
    if (!(await stat(path)).isDirectory()) {
      throw new MidcallError(
        'cli/usage',
        `'${oneLine(directory, 300)}' is a file, not a directory. Name the folder it lies in.`,
      );
    }
    await access(path, constants.R_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    if (error instanceof MidcallError) throw error;
    throw new MidcallError(
      'cli/usage',
      `'${oneLine(directory, 300)}' ${reason((error as NodeJS.ErrnoException).code)}`,
      {
        cause: error,
      },
    );
  }
}

function reason(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist. Create it, or name another directory.';
  if (code === 'EACCES' || code === 'EPERM')
    return 'cannot be read by this user. Change its permissions, or name another.';
  return `cannot be used (${code ?? 'unknown error'}).`;
}
