/**
 * Everything: first what the tests need beyond npm; then lint and documents beside the build; types beside the API reference; then
 * the tests; then the official conformance suite beside what the tests recorded: the frames they sent, the tests of
 * every requirement, and whether a secret got out. The first failure before the tests stops it.
 * Ends with `tests: N passed, N failed, N skipped`.
 *
 * Beyond npm the tests want Chromium, Redis, HAProxy and Postgres. As root on Debian they are installed; elsewhere the tests that need
 * them are skipped and named, except under `CI`, where nothing may be skipped. The same holds for Node 22, which on Linux comes
 * from npm.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { node22 } from '../test/fixtures/node-22.ts';
import { compileTaps } from './compile-taps.ts';
import { browsers, compiler, postgresFolders } from './places.ts';

const needs = [
  {
    name: 'Chromium',
    env: 'MIDCALL_CHROMIUM',
    paths: browsers,
    debian: 'chromium-headless-shell',
    shows: 'the pages in a real browser',
  },
  {
    name: 'Redis',
    env: 'MIDCALL_REDIS_SERVER',
    paths: ['/usr/bin/redis-server', '/usr/local/bin/redis-server'],
    debian: 'redis-server',
    shows: 'the Redis store',
  },
  {
    name: 'HAProxy',
    env: 'MIDCALL_HAPROXY',
    paths: ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/sbin/haproxy'],
    debian: 'haproxy',
    shows: 'the example of several replicas behind a balancer',
  },
  {
    name: 'Postgres',
    env: 'MIDCALL_POSTGRES',
    paths: postgresFolders,
    debian: 'postgresql',
    shows: 'an inbox that several bridges share',
  },
];
const ci = Boolean(process.env['CI']);

// While npm knows which certificates to trust.
const recommendedNode = node22();

// Each Node process reads this file as it starts, which takes it longer than the rest of its start; no test reaches another machine.
delete process.env['NODE_EXTRA_CA_CERTS'];

const script = (name: string) => ['--import', './tools/load-typescript.mjs', `tools/${name}.ts`];

/** What a stage prints is shown when it ends, so that stages run side by side do not mix; `live` shows it at once. */
function stage(
  name: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  live = false,
): Promise<boolean> {
  const begun = Date.now();
  const child = spawn(command, args, {
    stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', part => said.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', status => {
      process.stdout.write(Buffer.concat(said));
      console.log(`stage ${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      resolve(status === 0);
    });
  });
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
  await stage('apt-get update', 'apt-get', ['update', '-qq'], quiet);
  await stage(
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
if (recommendedNode === undefined) {
  console.log('Node 22 was not found, so the packages are not tested on it. Set MIDCALL_NODE_22 to its path.');
  must(!ci, 'CI needs Node 22: getting it from npm');
}
const found = Object.fromEntries(needs.flatMap(need => (find(need) ? [[need.env, find(need)]] : [])));

async function checkReference(): Promise<void> {
  must(await stage('reference', 'npx', ['typedoc', '--emit', 'none']), 'The API reference');
}

async function checkTypes(): Promise<void> {
  must(await stage('examples', 'node', script('doc-examples')), 'The check of the examples in doc comments');
  must(await stage('types', 'node', [compiler('newest'), '-p', 'tsconfig.json']), 'The type check');
}

async function checkTexts(): Promise<void> {
  must(await stage('lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']), 'Lint');
  must(await stage('documents', 'node', [...script('sync-snippets'), '--check']), 'The check of the documents');
}

async function build(): Promise<void> {
  must(await stage('build', 'npm', ['run', '--silent', 'build']), 'The build');
}

await Promise.all([checkTexts(), build()]);
// The reference reads of the other packages what the build has made.
await Promise.all([checkReference(), checkTypes()]);

const records = mkdtempSync(join(tmpdir(), 'midcall-test-'));
const report = join(records, 'report.json');
const frames = join(records, 'frames');
const canaries = join(records, 'canaries');
// A run of some tests only leaves out what is said of them all.
const whole = process.argv.length === 2;
if (whole) await compileTaps();
const passed = await stage(
  'tests',
  'npx',
  ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  whole ? { ...found, MIDCALL_FRAMES_DIR: frames, MIDCALL_CANARY_DIR: canaries } : found,
  true,
);

async function conforms(): Promise<boolean> {
  if (!whole || (await stage('conformance', 'node', script('conformance')))) return true;
  console.error('The official conformance suite found something; its table is above.');
  return false;
}

/** What the records of the tests have to show. */
async function holds(name: string, args: readonly string[], otherwise: string): Promise<boolean> {
  if (!whole || (await stage(name, 'node', [...script(name), ...args]))) return true;
  console.error(otherwise);
  return false;
}

async function recordsHold(): Promise<boolean> {
  const held = [
    await holds('frames', [frames], 'Something was said that the protocol does not allow; the frames are above.'),
    await holds(
      'requirements',
      ['--report', report],
      'Not every requirement is held by a test that passed; what is wrong is above.',
    ),
    await holds('canary', [frames, canaries], 'A secret of the tests got out; by what is above.'),
  ];
  return held.every(Boolean);
}

const afterwards = await Promise.all([conforms(), recordsHold()]);
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
const skippedInCi = ci && numPendingTests > 0;
if (skippedInCi) console.error(`${numPendingTests} tests were skipped; CI allows none.`);
console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
const allHeld = passed && afterwards.every(Boolean) && !skippedInCi && numPassedTests > 0;
// What was recorded is kept where somebody has to look at it.
if (allHeld) rmSync(records, { recursive: true, force: true });
process.exit(allHeld ? 0 : 1);
