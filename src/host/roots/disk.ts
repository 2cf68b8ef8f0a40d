/** The effects a roots manager needs: looking at directories, finding the workspace, keeping its state in a file. */
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownerFile } from '../files/owner-file.ts';
import type { RootsState } from './manager.ts';

/** What a roots manager asks of the file system. */
export interface RootsDisk {
  look(path: string): Promise<'directory' | 'not-a-directory' | 'unreadable' | 'gone'>;
  /** The path with every link resolved. */
  real(path: string): Promise<string>;
}

/** Where a roots manager keeps its state. */
export interface RootsMemory {
  read(): Promise<RootsState | undefined>;
  write(state: RootsState): Promise<void>;
}

/** The machine's own. */
export const machineDisk: RootsDisk = {
  async look(path) {
    try {
      if (!(await stat(path)).isDirectory()) return 'not-a-directory';
      await access(path, constants.R_OK | constants.X_OK);
      return 'directory';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unreadable' : 'gone';
    }
  },
  real: path => realpath(path),
};

/** Files that say "a project begins here", strongest first: version control, then build and package files. */
const markers = [
  '.git', '.hg', '.jj', '.svn', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'build.gradle',
  'build.gradle.kts', 'Gemfile', 'composer.json', 'mix.exs', 'deno.json', 'CMakeLists.txt', 'Makefile', '.obsidian',
]; // biome-ignore format: a list reads better in rows.

/** A directory that looks like a workspace, and by what. */
export interface Workspace {
  readonly path: string;
  readonly marker: string;
}

/**
 * Finds the workspace a directory belongs to: the nearest directory upwards under version control, else the nearest
 * with a project file. The home directory and the file system's root are never one.
 * @param options - `home`: where to stop
 */
export async function detectWorkspace(
  start: string,
  options: { readonly home?: string } = {},
): Promise<Workspace | undefined> {
  let project: Workspace | undefined;
  for (let path = start; ; path = dirname(path)) {
    if (path === options.home || dirname(path) === path) return project;
    const names = new Set(await readdir(path).catch(() => []));
    const marker = markers.find(name => names.has(name));
    if (marker !== undefined && markers.indexOf(marker) < 4) return { path, marker };
    if (marker !== undefined) project ??= { path, marker };
  }
}

/** Keeps a roots manager's state in a JSON file of its owner's alone; a file that cannot be understood is an error. */
export function rootsFile(path: string): RootsMemory {
  return ownerFile(path, 'a list of roots', isState);
}

const areTexts = (list: unknown): boolean => Array.isArray(list) && list.every(each => typeof each === 'string');

function isState(value: unknown): value is RootsState {
  if (typeof value !== 'object' || value === null) return false;
  const { roots, grants } = value as Partial<RootsState>;
  const rootsOk =
    Array.isArray(roots) && roots.every(root => typeof root?.path === 'string' && typeof root?.name === 'string');
  return rootsOk && typeof grants === 'object' && grants !== null && Object.values(grants).every(areTexts);
}
