/**
 * Breaks the code that decides in every way that Stryker knows of TypeScript, one at a time, and tells what no test noticed, one
 * folder after the other: `npm run mutants [-- FOLDER…]`. Fails where less than 85 in 100 are noticed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './places.ts';

/** What is broken -> the tests that have to notice: those of a folder, or of one file. */
const judged: Readonly<Record<string, readonly string[]>> = {
  'core/form': ['form'],
  'server/engine': ['server'],
  'server/state': ['server'],
  'server/asking': ['server'],
  'server/channels': ['server', 'connect'],
  'server/roots': ['roots'],
  'server/connect': ['connect'],
  'host/policy': ['host/policy', 'host/kept-rules'],
  'host/url': ['host/url', 'host/url-elicitation'],
};
const testsOf = (name: string): string => `test/${name.includes('/') ? name : `${name}/**/*`}.test.ts`;

const asked = process.argv.slice(2);
const unknown = asked.filter(folder => !Object.hasOwn(judged, folder));
if (unknown.length > 0) {
  console.error(`Not a folder that is judged: ${unknown.join(', ')}. These are: ${Object.keys(judged).join(', ')}.`);
  process.exit(2);
}
const failed = (asked.length > 0 ? asked : Object.keys(judged)).filter(folder => {
  console.log(`mutants of ${folder}:`);
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/stryker'),
    ['run', '--mutate', `packages/${folder.replace('/', '/src/')}/**/*.ts`],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, MIDCALL_MUTANT_TESTS: judged[folder]!.map(testsOf).join(' ') },
    },
  );
  return status !== 0;
});
if (failed.length > 0)
  console.error(`Less than 85 in 100 mutants were noticed, or nothing was judged: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
