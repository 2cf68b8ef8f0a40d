/**
 * Breaks the code that decides in every way that Stryker knows of TypeScript, one at a time, and tells what no test noticed, one
 * folder after the other: `npm run mutants [-- FOLDER…]`. Fails where less than 85 in 100 are noticed.
 *
 * All mutants of a folder are put into its sources at once, as they are loaded, and switched on one after the other in the process
 * that runs the tests (mutants-runner.ts): starting one for each would take hours. No file is written but a record outside the
 * repository, from which a process that had to be ended is taken up again.
 */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { startVitest } from 'vitest/node';
import { alias } from '../vitest.config.ts';
import { type Mutant, readRecord, report } from './mutants-judge.ts';
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
const leastNoticed = 0.85;
/** A process that has recorded nothing for so long is stuck in a loop that does not run through a mutant, and is ended. */
const stuckAfter = 120_000;
/** Each of them gets further by at least one mutant. */
const mostProcesses = 500;
/**
 * How long a test may take as it is, in milliseconds: most mutants are noticed by quick tests, so that slower ones need not try
 * them. A test that takes longer still would take hours, as it tries all that survives.
 */
const paces = [100, 1_000];

const asked = process.argv.slice(2);
const unknown = asked.filter(folder => !Object.hasOwn(judged, folder));
if (unknown.length > 0) {
  console.error(`Not a folder that is judged: ${unknown.join(', ')}. These are: ${Object.keys(judged).join(', ')}.`);
  process.exit(2);
}

async function judge(folder: string): Promise<boolean> {
  const { sources, mutants } = await broken(`packages/${folder.replace('/', '/src/')}`);
  const place = mkdtempSync(join(tmpdir(), 'midcall-mutants-'));
  const record = join(place, 'record.jsonl');
  writeFileSync(record, '');
  try {
    for (const longest of paces) {
      for (let started = 0; started < mostProcesses; started += 1) {
        const from = statSync(record).size;
        await run(judged[folder]!.map(testsOf), sources, { record, longest });
        if (!readRecord(readFileSync(record).subarray(from).toString()).broken) break;
      }
    }
    const { lines, noticed } = report(mutants, readRecord(readFileSync(record, 'utf8')), sources.originals);
    console.log([`${folder}:`, ...lines].join('\n'));
    return noticed >= leastNoticed;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

interface Sources {
  readonly originals: ReadonlyMap<string, string>;
  readonly instrumented: ReadonlyMap<string, string>;
}

/** The sources of a folder with all their mutants, each behind a switch. */
async function broken(folder: string): Promise<{ readonly sources: Sources; readonly mutants: readonly Mutant[] }> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.ts$/.test(name),
  );
  const originals = new Map(
    names.map(name => [join(root, folder, name), readFileSync(join(root, folder, name), 'utf8')]),
  );
  const files = [...originals].map(([name, content]) => ({ name, content, mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const made = await new Instrumenter(quiet).instrument(files, options);
  return {
    sources: { originals, instrumented: new Map(made.files.map(file => [file.name, file.content])) },
    mutants: made.mutants.map(({ id, fileName, location, replacement, status }) => ({
      id,
      file: fileName,
      start: location.start,
      end: location.end,
      replacement,
      named: status === 'Ignored',
    })),
  };
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

interface Run {
  readonly record: string;
  readonly longest: number;
}

async function run(include: string[], { instrumented }: Sources, { record, longest }: Run): Promise<void> {
  const watch = setInterval(() => endStuck(record), 5_000);
  try {
    const vitest = await startVitest(
      'test',
      [],
      {
        config: false,
        root,
        watch: false,
        runner: join(root, 'scripts/mutants-runner.ts'),
        include,
        exclude: ['test/**/*.{e2e,browser,soak}.test.ts'],
        tags: [{ name: 'thorough' }],
        // The runner has limits of its own.
        testTimeout: 3_600_000,
        hookTimeout: 600_000,
        pool: 'forks',
        // Of listeners that vitest adds with each try.
        execArgv: ['--no-warnings'],
        maxWorkers: 1,
        reporters: [{}],
        dangerouslyIgnoreUnhandledErrors: true,
        env: {
          MIDCALL_MUTANTS_RECORD: record,
          MIDCALL_MUTANTS_LONGEST: `${longest}`,
          MIDCALL_MUTANTS_LAST: longest === paces.at(-1) ? '1' : '',
        },
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
    await vitest.close();
  } finally {
    clearInterval(watch);
    // Of a run in which tests fail, which is what they are here for.
    process.exitCode = 0;
  }
}

function endStuck(record: string): void {
  if (Date.now() - statSync(record).mtimeMs < stuckAfter) return;
  const { at } = readRecord(readFileSync(record, 'utf8'));
  if (!at) return;
  appendFileSync(record, `${JSON.stringify({ stuck: at })}\n`);
  try {
    process.kill(at.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

const failed: string[] = [];
for (const folder of asked.length > 0 ? asked : Object.keys(judged)) if (!(await judge(folder))) failed.push(folder);
if (failed.length > 0)
  console.error(`Less than 85 in 100 mutants were noticed, or nothing was judged: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
