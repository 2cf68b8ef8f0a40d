/**
 * Runs `examples/main.ts` against the built package, as a user's server would run against the installed one. Builds it
 * first where its sources are newer. Nothing but the example itself ever writes to standard output.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));
const stamp = at('dist/.tsbuildinfo');
const changed = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).map(path => at(`src/${path}`));
if ([at('tsconfig.build.json'), ...sources].some(path => changed(path) > changed(stamp))) {
  const tsc = [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json')];
  const { status } = spawnSync(process.execPath, tsc, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
  const now = new Date();
  utimesSync(stamp, now, now);
}

await import(new URL('examples/main.ts', root).href);
