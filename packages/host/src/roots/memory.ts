import { ownerFile } from '../files/owner-file.ts';

/** What is kept between sessions. */
export interface RootsState {
  readonly roots: readonly { readonly path: string; readonly name: string; readonly as?: string }[];
  /** Server id -> paths granted to it. A server that is not in it has not been decided about. */
  readonly grants: Readonly<Record<string, readonly string[]>>;
}

/** Where the offered roots are stored. */
export interface RootsMemory {
  /** What was kept last; undefined if nothing was. */
  read(): Promise<RootsState | undefined>;
  /** Keeps a state in the place of the one before. */
  write(state: RootsState): Promise<void>;
}

/** Keeps the offered roots in a JSON file that only its owner can read; a file that cannot be understood is an error. */
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
