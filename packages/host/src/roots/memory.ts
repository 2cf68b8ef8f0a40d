import { ownerFile } from '../files/index.ts';

/** What is stored between sessions. */
export interface RootsState {
  readonly roots: readonly { readonly path: string; readonly name: string; readonly as?: string }[];
  /** Server id -> paths granted to it. A server that is missing has not been decided about. */
  readonly grants: Readonly<Record<string, readonly string[]>>;
}

/** Where the offered roots are stored. */
export interface RootsMemory {
  /** The last state that was stored; undefined if there is none. */
  read(): Promise<RootsState | undefined>;
  /** Stores a state in place of the previous one. */
  write(state: RootsState): Promise<void>;
}

/**
 * Stores the offered roots in a JSON file that only its owner can read; a file that cannot be parsed is an error.
 * @example
 * ```ts
 * const roots = new OfferedRoots({ disk: machineDisk, memory: rootsFile('/home/ada/.config/my-host/roots.json') });
 * ```
 */
export function rootsFile(path: string): RootsMemory {
  return ownerFile(path, 'a list of roots', isState);
}

const areTexts = (list: unknown): boolean => Array.isArray(list) && list.every(each => typeof each === 'string');

function isState(value: unknown): value is RootsState {
  if (typeof value !== 'object' || value === null) return false;
  const { roots, grants } = value as Partial<RootsState>;
  const rootsOk = Array.isArray(roots) && roots.every(root => areTexts([root?.path, root?.name, root?.as ?? '']));
  return rootsOk && typeof grants === 'object' && grants !== null && Object.values(grants).every(areTexts);
}
