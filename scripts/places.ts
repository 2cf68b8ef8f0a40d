/** Where things lie in this repository: the one place that scripts and tests take paths from. */
import { fileURLToPath } from 'node:url';

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders with tests in them, from the root. */
export const testFolders = ['test'];

/** Folders of the packages that are released, from the root. */
export const packageFolders = ['core', 'server', 'host', 'testing', 'midcall'].map(name => `packages/${name}`);
