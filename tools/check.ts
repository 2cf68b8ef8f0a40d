/**
 * What to run before each commit, in under a minute: lint, types, what nobody uses, and the quick tests of what changed
 * since the last commit; with `--all` every quick test. Side by side; each says its part when it ends, and the first
 * problem does not hide the others. Ends with the size of each package beside its size on main.
 */
import { spawn, spawnSync } from 'node:child_process';
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
    [process.execPath, '--import', './tools/load-typescript.mjs', 'tools/doc-examples.ts'],
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

interface Size {
  readonly files: number;
  readonly lines: number;
}

const git = (...args: readonly string[]): string =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).stdout;

/** The size of each package's sources. @param commit - the working tree if absent */
function sizes(commit?: string): ReadonlyMap<string, Size> {
  const counted = git(
    'grep',
    '--count',
    ...(commit === undefined ? ['--untracked', ''] : ['', commit]),
    '--',
    'packages/*/src/*.ts',
  );
  const all = new Map<string, Size>();
  for (const [, name, lines] of counted.matchAll(/packages\/(\w+)\/.*:(\d+)$/gm)) {
    const size = all.get(name!) ?? { files: 0, lines: 0 };
    all.set(name!, { files: size.files + 1, lines: size.lines + Number(lines) });
  }
  return all;
}

/** What a change adds to each package: one line for each, beside the last commit on main. */
function printSizes(): void {
  const main = ['origin/main', 'main'].find(ref => git('rev-parse', '--verify', '--quiet', ref) !== '');
  const before = main === undefined ? undefined : sizes(main);
  const more = (now: number, then: number): string => `${now < then ? '' : '+'}${now - then}`;
  for (const [name, { files, lines }] of sizes()) {
    const then = before?.get(name) ?? { files: 0, lines: 0 };
    const beside = before ? ` (${more(lines, then.lines)} lines, ${more(files, then.files)} files)` : '';
    console.log(`size   ${name}: ${lines} lines, ${files} files${beside}`);
  }
}

const passed = await Promise.all(parts.map(inOrder));
printSizes();
process.exit(passed.every(Boolean) ? 0 : 1);
