/** The folders of `--root`, as the commands that answer servers offer them. */
import { resolve } from 'node:path';
import { isMidcallError } from '../errors.ts';
import type { OfferedRoot, RootsManager } from '../host/index.ts';
import { usage } from './usage.ts';

/**
 * Puts folders on offer; whom they are granted to is the caller's business.
 * @param folders - paths, relative to where the command was started
 * @throws MidcallError `cli/usage` where one is no folder that can be used
 */
export async function offerFolders(roots: RootsManager, folders: readonly string[]): Promise<readonly OfferedRoot[]> {
  const offered: OfferedRoot[] = [];
  for (const folder of folders) {
    try {
      offered.push(await roots.add(resolve(folder)));
    } catch (cause) {
      if (!isMidcallError(cause)) throw cause;
      throw usage(`--root ${folder}: ${cause.message}`, { cause });
    }
  }
  return offered;
}
