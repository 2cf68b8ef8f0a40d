/**
 * Runs the official conformance suite against `tools/conformance/server.ts` and `tools/conformance/client.ts`: every scenario either
 * revision requires, and those of the tasks extension. Prints a table and fails where one did not pass (conformance-judge.ts).
 * Needs the build.
 *
 * The scenarios of each revision, of tasks and of the client run beside each other, as they wait for most of their time. The one that
 * measures time runs after them, alone. What did not pass, as the suite gives a scenario no more than 30 seconds on however busy a
 * machine, may be run twice more, alone, and is then reported so.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleClient, bundleSuite } from './conformance-bundles.ts';
import { type Check, type Judged, judge } from './conformance-judge.ts';
import { root } from './places.ts';

type Revision = '2025-11-25' | '2026-07-28';

interface Scenarios {
  readonly server: readonly string[];
  readonly client: readonly string[];
}

interface Scenario {
  readonly kind: 'server' | 'client';
  readonly revision: Revision | 'tasks';
  readonly scenario: string;
  readonly repeats: number;
}

type Entry = Scenario & Judged;

const typescript = ['--import', './tools/load-typescript.mjs'];
const revisions: readonly Revision[] = ['2025-11-25', '2026-07-28'];
const measuresTime = new Set(['sse-retry']);
const mostRepeats = 2;
const out = mkdtempSync(join(tmpdir(), 'midcall-conformance-'));
const [suite, client] = await Promise.all([bundleSuite(out), bundleClient(out)]);

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(args: readonly string[]): Promise<string> {
  const child = node([suite, ...args]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk));
  await once(child, 'close');
  return said;
}

/** The server's scenarios of the tasks extension, as the suite has them. */
async function tasksScenarios(): Promise<readonly string[]> {
  return [...(await run(['list'])).matchAll(/^ {2}- (tasks-\S+) \[extension\]/gm)].map(match => match[1]!);
}

/** What a revision requires, as the suite itself has it. */
async function required(revision: Revision): Promise<Scenarios> {
  const [listed = ''] = (await run(['list', '--requirements', revision])).split('Run and reported');
  const [, server = '', client = ''] = listed.split(/^(?:Server|Client) scenarios.*$/m);
  const names = (text: string) => [...text.matchAll(/^ {2}- (\S+)/gm)].map(match => match[1]!);
  return { server: names(server), client: names(client) };
}

/** Scenario -> its checks, from the newest report of each. */
function reports(folder: string): Map<string, readonly Check[]> {
  const found = new Map<string, readonly Check[]>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const match = /^(?:(?:server|client)-)?(.+)-\d{4}-\d{2}-\d{2}T[^/]*\/checks\.json$/.exec(name);
    if (match) found.set(match[1]!, JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }
  return found;
}

const rows: Entry[] = [];
/** Scenarios that the suite itself skips, with its reason: nothing of them is counted. */
const skipped = new Map<string, string>();

/** What is run after all others, alone. */
const alone: Scenario[] = [];

function enter(run: Scenario, checks: readonly Check[] | undefined): void {
  const judged = judge(checks);
  if (!judged.passed && run.repeats < mostRepeats) alone.push({ ...run, repeats: run.repeats + 1 });
  else rows.push({ ...run, ...judged });
}

/** Starts a server of its own for scenarios that may run beside others, and ends it after them. */
async function withServer<T>(test: (url: string) => Promise<T>): Promise<T> {
  const server = node([...typescript, 'tools/conformance/server.ts'], { PORT: '0' });
  let said = '';
  server.stderr.on('data', chunk => (said += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', line => resolve(/http\S+/.exec(line)?.[0] ?? line));
    server.on('close', () => reject(new Error(`The fixture did not start.\n${said}`)));
  });
  try {
    return await test(url);
  } finally {
    server.kill();
  }
}

async function testServer(url: string, revision: Revision, { server }: Scenarios): Promise<void> {
  const folder = join(out, `server-${revision}`);
  const told = await run(['server', '--url', url, '--requirements', revision, '-o', folder]);
  const found = existing(folder, told);
  for (const scenario of server) enter({ kind: 'server', revision, scenario, repeats: 0 }, found.get(scenario));
}

async function testTasks(url: string): Promise<void> {
  const folder = join(out, 'server-tasks');
  for (const scenario of tasks) {
    const which = ['--scenario', scenario, '--spec-version', '2026-07-28', '--force'];
    const told = await run(['server', '--url', url, ...which, '-o', folder]);
    const checks = existing(folder, told).get(scenario);
    if (checks?.every(({ status }) => status === 'SKIPPED')) skipped.set(scenario, checks[0]?.errorMessage ?? '');
    else enter({ kind: 'server', revision: 'tasks', scenario, repeats: 0 }, checks);
  }
}

/** What a client scenario may take: the suite starts all of a revision at once, on however few processors. */
const mostMs = ['--timeout', '600000'];
// The command is split on single spaces.
const command = ['--command', `${process.execPath} ${client}`];

async function testClient(wanted: ReadonlyMap<Revision, Scenarios>): Promise<void> {
  for (const revision of revisions) {
    const folder = join(out, `client-${revision}`);
    const told = await run(['client', ...command, '--requirements', revision, ...mostMs, '-o', folder]);
    const found = existing(folder, told);
    for (const scenario of wanted.get(revision)!.client) {
      const first: Scenario = { kind: 'client', revision, scenario, repeats: 0 };
      if (measuresTime.has(scenario)) alone.push(first);
      else enter(first, found.get(scenario));
    }
  }
}

async function testAlone({ kind, revision, scenario, repeats }: Scenario): Promise<void> {
  const folder = join(out, `${kind}-${revision}-${repeats}-${scenario}`);
  const version = revision === 'tasks' ? ['2026-07-28', '--force'] : [revision];
  const which = ['--scenario', scenario, '--spec-version', ...version, '-o', folder];
  const told =
    kind === 'client'
      ? await run(['client', ...command, ...mostMs, ...which])
      : await withServer(url => run(['server', '--url', url, ...which]));
  enter({ kind, revision, scenario, repeats }, existing(folder, told).get(scenario));
}

function existing(folder: string, told: string): Map<string, readonly Check[]> {
  try {
    return reports(folder);
  } catch {
    console.error(told);
    throw new Error(`The suite wrote no report to ${relative(root, folder)}.`);
  }
}

const wanted = new Map<Revision, Scenarios>();
for (const revision of revisions) wanted.set(revision, await required(revision));
const tasks = await tasksScenarios();
await Promise.all([
  ...[...wanted].map(([revision, scenarios]) => withServer(url => testServer(url, revision, scenarios))),
  withServer(testTasks),
  testClient(wanted),
]);
// It grows by what has to be run once more.
for (const next of alone) await testAlone(next);

const show = (row: Entry) =>
  `  ${row.passed ? 'ok  ' : 'FAIL'} ${row.scenario}${row.repeats ? ` (at repeat ${row.repeats})` : ''}  ${row.success} checks` +
  row.why.map(why => `\n         ${why}`).join('');
for (const kind of ['server', 'client']) {
  for (const revision of [...revisions, 'tasks'] as const) {
    const part = rows
      .filter(row => row.kind === kind && row.revision === revision)
      .sort((one, other) => one.scenario.localeCompare(other.scenario));
    if (part.length === 0) continue;
    const checks = part.reduce((sum, row) => sum + row.success, 0);
    const passed = part.filter(row => row.passed).length;
    console.log(`${kind} ${revision}: ${passed}/${part.length} required scenarios, ${checks} checks`);
    for (const row of part) console.log(show(row));
  }
}
for (const [scenario, why] of skipped) console.log(`not counted: ${scenario}. ${why}`);
const failed = rows.filter(row => !row.passed);
const empty =
  tasks.length === 0 ||
  revisions.some(revision => wanted.get(revision)!.server.length === 0 || wanted.get(revision)!.client.length === 0);
console.log(`conformance: ${rows.length - failed.length} of ${rows.length} required scenarios passed`);
if (failed.length > 0) console.log(`reports: ${out}`);
else rmSync(out, { recursive: true });
process.exit(failed.length > 0 || empty ? 1 : 0);
