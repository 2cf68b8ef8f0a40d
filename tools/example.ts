/**
 * Runs `examples/main.ts` against the built packages, as a user's server would run against the installed ones. Builds them
 * first where their sources are newer. Nothing but the example itself ever writes to standard output.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compiler } from './places.ts';

const root = new URL('..', import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, root));
const changed = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const stale = ['core', 'server', 'host', 'testing', 'inbox'].some(name => {
  const sources = readdirSync(at(`packages/${name}/src`), { recursive: true, encoding: 'utf8' });
  const built = changed(at(`packages/${name}/dist/.tsbuildinfo`));
  return sources.some(path => path.endsWith('.ts') && changed(at(`packages/${name}/src/${path}`)) > built);
});
if (stale) {
  const tsc = [compiler('newest'), '-b', at('tsconfig.build.json')];
  const bundle = ['--import', at('tools/load-typescript.mjs'), at('tools/bundle.ts')];
  for (const words of [tsc, bundle]) {
    const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(1);
  }
}

await import(new URL('examples/main.ts', root).href);
