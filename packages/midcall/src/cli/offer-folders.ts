/** The folders of `--root`, as the commands that answer servers offer them, and what a desk stores of offered folders. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import type { OfferedRoot, OfferedRoots, RootsMemory, RootsState } from '@midcall/host';
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

/** Folders in two parts: those that are stored, and those of this session only. */
export interface StoredFolders {
  readonly memory: RootsMemory;
  /** Runs a function that offers folders for this session; folders that were not stored before are not stored by it. */
  forSession<T>(offer: () => Promise<T>): Promise<T>;
}

/**
 * Stores the folders that a person offers on the desk, but not those that the command line names for one session.
 * @param file - where folders are stored; must be read before the first folder is offered
 */
export function storedFolders(file: RootsMemory): StoredFolders {
  let storedPaths = new Set<string>();
  const session = new Set<string>();
  let offering = false;
  const withoutSession = ({ roots, grants }: RootsState): RootsState => ({
    roots: roots.filter(({ path }) => !session.has(path)),
    grants: Object.fromEntries(
      Object.entries(grants).map(([server, paths]) => [server, paths.filter(path => !session.has(path))]),
    ),
  });
  return {
    memory: {
      async read() {
        const state = await file.read();
        storedPaths = new Set(state?.roots.map(({ path }) => path));
        return state;
      },
      async write(state) {
        if (offering) for (const { path } of state.roots) if (!storedPaths.has(path)) session.add(path);
        await file.write(withoutSession(state));
      },
    },
    async forSession(offer) {
      offering = true;
      try {
        return await offer();
      } finally {
        offering = false;
      }
    },
  };
}
