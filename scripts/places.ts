/** Where things lie in this repository: the one place that scripts and tests take paths from. */
import { fileURLToPath } from 'node:url';

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The file that starts a compiler. Each lies in a folder of its own, or it would take the command `tsc` from the one whose API
 * typedoc and these scripts use: the newest builds and checks the repository; the oldest is the oldest that authors may use.
 */
export const compiler = (which: 'oldest' | 'newest'): string =>
  `${root}compilers/${which}/node_modules/typescript/bin/tsc`;

/** Folders with tests in them, from the root. */
export const testFolders = ['test'];

/** Folders of the packages that are released, from the root. */
export const packageFolders = ['core', 'server', 'host', 'testing', 'midcall'].map(name => `packages/${name}`);
