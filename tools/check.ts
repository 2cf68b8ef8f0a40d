/**
 * What to run before each commit, in under a minute: lint, types, what nobody uses, and the quick tests of what changed
 * since the last commit; with `--all` every quick test. Side by side; each says its part when it ends, and the first
 * problem does not hide the others.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { compiler, root } from './places.ts';

const quick = [
  'vitest',
  'run',
  '--reporter=dot',
  '--project',
  'unit',
  '--project',
  'replaced',
  '--tagsFilter',
  '!thorough',
];
const all = process.argv.includes('--all');
/** What holds of the whole repository, so whatever changed. */
const rules = ['architecture', 'waits', 'docs/paths', 'conformance/requirements'].map(name => `test/${name}.test.ts`);
const parts: readonly (readonly (readonly string[])[])[] = [
  [
    ['biome', 'check', '--error-on-warnings', '.'],
    [process.execPath, compiler('newest'), '-p', 'tsconfig.json'],
    ['knip', '--no-progress'],
  ],
  all
    ? [quick]
    : [
        [...quick, ...rules],
        [...quick, '--changed', '--passWithNoTests'],
      ],
];

function run(command: readonly string[]): Promise<boolean> {
  const begun = Date.now();
  return new Promise(done => {
    const [name, ...args] = command;
    const child = spawn(resolve(root, 'node_modules/.bin', name!), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (said += part));
    child.on('close', code => {
      if (code !== 0) console.error(said);
      console.log(
        `${code === 0 ? 'ok    ' : 'FAILED'} ${command.join(' ')} (${((Date.now() - begun) / 1000).toFixed(1)} s)`,
      );
      done(code === 0);
    });
  });
}

async function inOrder(commands: readonly (readonly string[])[]): Promise<boolean> {
  let passed = true;
  for (const command of commands) passed = (await run(command)) && passed;
  return passed;
}

const passed = await Promise.all(parts.map(inOrder));
process.exit(passed.every(Boolean) ? 0 : 1);
