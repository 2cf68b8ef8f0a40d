/**
 * Breaks the code that decides in every way that Stryker knows of TypeScript, one at a time, and tells what no test noticed, one
 * folder after the other: `npm run mutants [-- --sample N] [FOLDER…]`. Fails where less than 85 in 100 are killed, and where
 * tools/conformance/equivalent-mutants.json names what a test kills or what is not there. Writes the figures to tools/conformance/MUTANTS.md.
 *
 * All mutants of a folder are put into its sources at once, as they are loaded, and switched on one after the other in the process
 * that runs the tests (mutants-runner.ts): starting one for each would take hours. The first turn finds out how long each test
 * takes, and through what it runs; then the quickest try their mutants first. No file is written meanwhile but a record outside
 * the repository, from which a process that had to be ended is taken up again.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { createVitest, type Vitest } from 'vitest/node';
import { alias, replaceModules } from '../vitest.config.ts';
import { type Entry, type Equivalent, fileOf, type Mutant, readRecord, score } from './mutants-judge.ts';
import { cells, withRow } from './mutants-table.ts';
import { root } from './places.ts';

/**
 * What is broken -> the tests that have to notice: those of a folder, or of one file. Tests of the whole server run through nearly
 * everything, and notice little that those of a folder do not; they would take hours.
 */
const judged: Readonly<Record<string, readonly string[]>> = {
  'core/form': ['form'],
  'server/engine': ['server/engine'],
  'server/state': ['server/state', 'server/engine/replay.test.ts', 'server/eras/mrtr.test.ts'],
  'server/questions': [
    'server/questions',
    'server/eras/signs-of-life.test.ts',
    'connect/announced.test.ts',
    'connect/beside.test.ts',
    'connect/code-and-link.test.ts',
    'connect/url.test.ts',
    'connect/validate.test.ts',
    'connect/wizard.test.ts',
  ],
  'server/roots': ['roots'],
  // The last ones meet a real authorization server, in this process.
  'server/connect': [
    'connect',
    'connect/bearer.e2e.test.ts',
    'connect/identities.e2e.test.ts',
    'connect/oauth-client.e2e.test.ts',
    'connect/oauth-pages.e2e.test.ts',
  ],
  'host/policy': ['host/policy'],
  'host/rules': ['host/rules'],
  'host/consent': ['host/consent'],
  'host/url': ['host/url', 'host/asking/url-elicitation.test.ts'],
};
const testsOf = (name: string): string =>
  name.endsWith('.ts') ? `test/${name}` : `test/${name}/**/!(*.e2e|*.browser|*.soak).test.ts`;
const least = 0.85;
/**
 * A test that has recorded nothing for so long, in milliseconds, is stuck in a loop that does not run through a mutant, and its
 * process is ended.
 */
const stuckAfter = { plain: 120_000, mutant: 30_000 };
/** Each of them gets further by at least one mutant. */
const mostProcesses = 500;
/** How long a test of each turn may take as it is, in milliseconds. One that takes longer would take hours over what survives. */
const turns = [0, 10, 40, 150, 500, 1_500];

const { values, positionals } = parseArgs({ options: { sample: { type: 'string' } }, allowPositionals: true });
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample);
const unknown = positionals.filter(folder => !Object.hasOwn(judged, folder));
if (unknown.length > 0 || !(sample >= 1)) {
  console.error(`Name folders of these: ${Object.keys(judged).join(', ')}; --sample takes a number of mutants.`);
  process.exit(2);
}

const list = 'tools/conformance/equivalent-mutants.json';
const table = join(root, 'tools/conformance/MUTANTS.md');

interface Sources {
  readonly instrumented: ReadonlyMap<string, string>;
  readonly mutants: readonly Mutant[];
}

async function judge(folder: string): Promise<boolean> {
  const began = Date.now();
  const under = `packages/${folder.replace('/', '/src/')}/`;
  const sources = await broken(under);
  const place = mkdtempSync(join(tmpdir(), 'midcall-mutants-'));
  const record = join(place, 'record.jsonl');
  try {
    await tryAll(judged[folder]!.map(testsOf), sources, record);
    const equivalents = (JSON.parse(readFileSync(join(root, list), 'utf8')) as readonly Equivalent[]).filter(
      ({ file }) => file.startsWith(under),
    );
    const result = score(sources.mutants, readRecord(readFileSync(record, 'utf8')), equivalents);
    const row = { ...result, folder, mutants: sources.mutants.length, sample, minutes: (Date.now() - began) / 60_000 };
    const stale = result.stale.map(each => `${list}: ${each}`);
    console.log([`${folder}:`, ...result.lines, ...stale, cells(row, new Date()).join(' | ')].join('\n  '));
    writeFileSync(table, withRow(readFileSync(table, 'utf8'), row, new Date()));
    return result.part >= least && stale.length === 0;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The sources of a folder with all their mutants, each behind a switch. */
async function broken(folder: string): Promise<Sources> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.ts$/.test(name),
  );
  const files = names.map(name => {
    const path = join(root, folder, name);
    return { name: path, content: readFileSync(path, 'utf8'), mutate: true };
  });
  const lines = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const made = await new Instrumenter(quiet).instrument(files, options);
  return {
    instrumented: new Map(made.files.map(file => [file.name, file.content])),
    mutants: made.mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, location: { start, end }, replacement }) => {
        const code = lines.get(fileName)!.slice(start.line, end.line + 1);
        const line = code[0]!;
        code.push(code.pop()!.slice(0, end.column));
        code[0] = code[0]!.slice(start.column);
        const file = fileName.slice(root.length);
        return { id, file, at: start.line + 1, line, code: code.join('\n'), instead: replacement };
      }),
  };
}

/** Those that are tried: all, or a sample that stays the same while the sources do. */
function drawn(mutants: readonly Mutant[]): readonly Mutant[] {
  const lot = ({ file, at, code, instead }: Mutant) =>
    createHash('sha256')
      .update(JSON.stringify([file, at, code, instead]))
      .digest('hex');
  return mutants
    .map(mutant => ({ mutant, lot: lot(mutant) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .slice(0, sample)
    .map(({ mutant }) => mutant);
}

async function tryAll(include: string[], { instrumented, mutants }: Sources, record: string): Promise<void> {
  const append = (entry: Entry): void => appendFileSync(record, `${JSON.stringify(entry)}\n`);
  const read = () => readRecord(readFileSync(record, 'utf8'));
  append({ tried: drawn(mutants).map(({ id }) => id) });
  const vitest = await testRunner(include, instrumented, record);
  const watch = setInterval(() => endStuck(record), 5_000);
  const interrupted = (): void => {
    // It would go on for ever if it is stuck.
    const { at } = read();
    if (at) end(at.pid);
    rmSync(dirname(record), { recursive: true, force: true });
    process.exit(1);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await vitest.standalone();
    const files = await vitest.globTestSpecifications();
    for (const turn of turns) {
      for (let started = 0; started < mostProcesses; started += 1) {
        append({ turn });
        const known = read();
        const left = new Set([...known.ran.keys()].filter(test => known.open(test).length > 0).map(fileOf));
        await vitest.runTestSpecifications(
          files.filter(({ moduleId }) => turn === 0 || left.has(moduleId.slice(root.length))),
        );
        if (!read().broken) break;
      }
    }
  } finally {
    clearInterval(watch);
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await vitest.close();
    // Of a run in which tests fail, which is what they are here for.
    process.exitCode = 0;
  }
}

const packages = join(root, 'packages/');
/** What a module remembers, which would hide a mutant in what made it: the runner empties it before each try. */
const memory = /^(?:export )?const (\w+)[^=\n]* = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\);$/gm;

const nothing = (): void => {};
const quiet = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: console.warn,
  error: console.error,
  fatal: console.error,
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => true,
  isErrorEnabled: () => true,
  isFatalEnabled: () => true,
};

const testRunner = (include: string[], instrumented: Sources['instrumented'], record: string): Promise<Vitest> =>
  createVitest(
    'test',
    {
      config: false,
      root,
      watch: false,
      runner: join(root, 'tools/mutants-runner.ts'),
      include,
      tags: [{ name: 'thorough' }],
      // The runner has limits of its own.
      testTimeout: 3_600_000,
      hookTimeout: 600_000,
      pool: 'forks',
      // Of listeners that vitest adds with each try.
      execArgv: ['--no-warnings'],
      maxWorkers: 1,
      // What most files import is loaded once; so those that put other modules in its place are left out.
      isolate: false,
      exclude: replaceModules,
      reporters: [{}],
      dangerouslyIgnoreUnhandledErrors: true,
      env: { MIDCALL_MUTANTS_RECORD: record },
    },
    {
      resolve: { alias },
      plugins: [
        {
          name: 'mutants',
          enforce: 'pre',
          load: id => instrumented.get(id),
          transform: (code, id) =>
            id.startsWith(packages) ? code.replace(memory, '$& globalThis.__stryker__?.forget?.($1);') : null,
        },
      ],
    },
  );

function endStuck(record: string): void {
  const silent = Date.now() - statSync(record).mtimeMs;
  if (silent < stuckAfter.mutant) return;
  const { at } = readRecord(readFileSync(record, 'utf8'));
  if (!at || (at.mutant === undefined && silent < stuckAfter.plain)) return;
  appendFileSync(record, `${JSON.stringify({ stuck: at })}\n`);
  end(at.pid);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const failed: string[] = [];
for (const folder of positionals.length > 0 ? positionals : Object.keys(judged))
  if (!(await judge(folder))) failed.push(folder);
if (failed.length > 0)
  console.error(`Less than 85 in 100 mutants were killed, or ${list} is out of date: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
