/** Where things lie in this repository: the one place that scripts and tests take paths from. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The file that starts a compiler. Each lies in a folder of its own, or it would take the command `tsc` from the one whose API
 * typedoc and these scripts use: the newest builds and checks the repository; the oldest is the oldest that authors may use.
 */
export const compiler = (which: 'oldest' | 'newest'): string =>
  `${root}tools/compilers/${which}/node_modules/typescript/bin/tsc`;

/** Folders with tests in them, from the root. */
export const testFolders = ['test'];

/** Folders of the packages that are released, from the root. */
export const packageFolders = ['core', 'server', 'host', 'testing', 'inbox', 'midcall', 'create-midcall'].map(
  name => `packages/${name}`,
);

/** The first is Chromium without its own windows: pages are the same in it, and cost half the processor time. */
export const browsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Where Debian has the programs of Postgres. */
export const postgresFolders = [15, 16, 17, 18].map(version => `/usr/lib/postgresql/${version}/bin`);

/** The browser that tests drive: MIDCALL_CHROMIUM, or the first that is installed. @throws Error if there is none */
export function browserPath(): string {
  const path = process.env['MIDCALL_CHROMIUM'] ?? browsers.find(existsSync);
  if (path === undefined) throw new Error('Chromium was not found. Install it, or set MIDCALL_CHROMIUM to its path.');
  return path;
}

/** The source of an entry that a package.json names: `./bundle/http/public.js` is made from `src/http/public.ts`. */
export const sourceOf = (folder: string, entry: string): string =>
  `${folder}/${entry.replace('./bundle/', 'src/').replace(/\.js$/, '.ts')}`;
