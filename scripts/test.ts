/**
 * Everything, in order: what the tests need beyond npm, lint, types, documents, the API reference, build, tests, the
 * frames they sent, conformance, the tests of every requirement, and whether a secret of the tests got out. The first
 * failure before the tests stops it.
 * Ends with `tests: N passed, N failed, N skipped`.
 *
 * Beyond npm the tests want Chromium and Redis. As root on Debian they are installed; elsewhere the tests that need
 * them are skipped and named, except under `CI`, where nothing may be skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileTaps } from './compile-taps.ts';

const needs = [
  {
    name: 'Chromium',
    env: 'MIDCALL_CHROMIUM',
    paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    debian: 'chromium',
    shows: 'the pages in a real browser',
  },
  {
    name: 'Redis',
    env: 'MIDCALL_REDIS_SERVER',
    paths: ['/usr/bin/redis-server', '/usr/local/bin/redis-server'],
    debian: 'redis-server',
    shows: 'the Redis store',
  },
];
const ci = Boolean(process.env['CI']);
const script = (name: string) => ['--import', './scripts/load-typescript.mjs', `scripts/${name}.ts`];

function stage(
  name: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): boolean {
  const begun = Date.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  console.log(`stage ${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  return status === 0;
}

function must(ok: boolean, what: string): void {
  if (ok) return;
  console.error(`${what} failed; nothing after it was run.`);
  process.exit(1);
}

const find = (need: (typeof needs)[number]) => process.env[need.env] ?? need.paths.find(existsSync);
const missing = needs.filter(need => !find(need));
if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  stage('apt-get update', 'apt-get', ['update', '-qq'], quiet);
  stage(
    'apt-get install',
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...missing.map(need => need.debian)],
    quiet,
  );
}
for (const need of needs.filter(each => !find(each))) {
  console.log(
    `${need.name} was not found, so ${need.shows} are not tested. Install it (Debian: ${need.debian}) or set ${need.env} to its path.`,
  );
  must(!ci, `CI needs ${need.name}: installing it`);
}
const found = Object.fromEntries(needs.flatMap(need => (find(need) ? [[need.env, find(need)]] : [])));

must(stage('lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']), 'Lint');
must(stage('types', 'npx', ['tsc', '-p', 'tsconfig.json']), 'The type check');
must(stage('documents', 'node', [...script('sync-snippets'), '--check']), 'The check of the documents');
must(stage('reference', 'npx', ['typedoc', '--emit', 'none']), 'The API reference');
must(stage('build', 'npm', ['run', '--silent', 'build']), 'The build');

const records = mkdtempSync(join(tmpdir(), 'midcall-test-'));
const report = join(records, 'report.json');
const frames = join(records, 'frames');
const canaries = join(records, 'canaries');
// A run of some tests only leaves out what is said of them all.
const whole = process.argv.length === 2;
if (whole) compileTaps();
const passed = stage(
  'tests',
  'npx',
  ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  whole ? { ...found, MIDCALL_FRAMES_DIR: frames, MIDCALL_CANARY_DIR: canaries } : found,
);
const framed = !whole || stage('frames', 'node', [...script('frames'), frames]);
if (!framed) console.error('Something was said that the protocol does not allow; the frames are above.');
const conforms = !whole || stage('conformance', 'node', script('conformance'));
if (!conforms) console.error('The official conformance suite found something; its table is above.');
const required = !whole || stage('requirements', 'node', [...script('requirements'), '--report', report]);
if (!required) console.error('Not every requirement is held by a test that passed; what is wrong is above.');
const hidden = !whole || stage('canary', 'node', [...script('canary'), frames, canaries]);
if (!hidden) console.error('A secret of the tests got out; by what is above.');
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
const skippedInCi = ci && numPendingTests > 0;
if (skippedInCi) console.error(`${numPendingTests} tests were skipped; CI allows none.`);
console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
process.exit(passed && framed && conforms && required && hidden && !skippedInCi && numPassedTests > 0 ? 0 : 1);
