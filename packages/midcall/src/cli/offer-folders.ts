/** The folders of `--root`, as the commands that answer servers offer them. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import type { OfferedRoot, OfferedRoots } from '@midcall/host';
import { usage } from './usage.ts';

/**
 * Puts folders on offer; the caller decides whom they are granted to.
 * @param folders - paths, relative to where the command was started; `DIR=/path` if servers find it under that path
 * @throws MidcallError `cli/usage` if one of them cannot be used
 */
export async function offerFolders(roots: OfferedRoots, folders: readonly string[]): Promise<readonly OfferedRoot[]> {
  const offered: OfferedRoot[] = [];
  for (const folder of folders) {
    try {
      const { place, as } = placed(folder);
      offered.push(await roots.add(resolve(place), defined({ as })));
    } catch (cause) {
      if (!isMidcallError(cause)) throw cause;
      throw usage(`--root ${folder}: ${cause.message}`, { cause });
    }
  }
  return offered;
}

/** Puts folders on offer and grants a server exactly these. @throws MidcallError as {@link offerFolders} does */
export async function grantFolders(roots: OfferedRoots, server: string, folders: readonly string[]): Promise<void> {
  const offered = await offerFolders(roots, folders);
  await roots.grant(
    server,
    offered.map(root => root.uri),
  );
}

/** A folder whose own name contains an equals sign is taken literally. */
function placed(folder: string): { readonly place: string; readonly as: string | undefined } {
  const at = folder.lastIndexOf('=/');
  if (at <= 0 || existsSync(resolve(folder))) return { place: folder, as: undefined };
  return { place: folder.slice(0, at), as: folder.slice(at + 1) };
}
