/** Stores the folders that a person offers on the desk, but not those that the command line names for one session. */
import type { RootsMemory, RootsState } from '@midcall/host';

/** Folders in two parts: those that are stored, and those of this session only. */
export interface StoredFolders {
  readonly memory: RootsMemory;
  /** Runs a function that offers folders for this session; folders that were not stored before are not stored by it. */
  forSession<T>(offer: () => Promise<T>): Promise<T>;
}

/** @param file - where folders are stored; must be read before the first folder is offered */
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
