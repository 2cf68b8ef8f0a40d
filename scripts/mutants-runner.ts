/**
 * Runs each test once as it is, to see which mutants it runs through, then once with each of these that no test has noticed yet,
 * by trying it again and again as vitest does with a test that may fail. What happens is recorded for scripts/mutants.ts.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { type Entry, readRecord } from './mutants-judge.ts';

/** What Stryker's switches in the sources look at. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
  /** Called for what a module remembers (scripts/mutants.ts). */
  forget?: (memory: Memory) => void;
}

type Memory = Map<unknown, unknown> | Set<unknown>;

/** The test that is being tried. */
interface Trial {
  readonly test: string;
  /** As it is, with a mutant, or again as it is, since what fails for good says nothing about mutants. */
  phase: 'plain' | 'mutant' | 'again';
  readonly open: string[];
  mutant?: string | undefined;
  began: number;
  /** How long it takes as it is, in milliseconds. */
  plain: number;
  hits: Readonly<Record<string, number>>;
  hung: boolean;
  again: number;
}

/** How long a test may take as it is, in milliseconds, and whether slower ones have no other turn. */
const longest = Number(process.env['MIDCALL_MUTANTS_LONGEST']);
const lastTurn = process.env['MIDCALL_MUTANTS_LAST'] === '1';
const file = process.env['MIDCALL_MUTANTS_RECORD']!;
const shared = globalThis as { __stryker__?: Switches };
shared.__stryker__ ??= {};
const switches = shared.__stryker__;
const record = (entry: Entry): void => appendFileSync(file, `${JSON.stringify(entry)}\n`);
const before = readRecord(readFileSync(file, 'utf8'));
const noticed = new Set(before.noticed);
let spoilt = false;

/** What takes back what has been remembered since the test began. */
const lapses: (() => void)[] = [];
let trying = false;
switches.forget = memory => {
  const way = 'set' in memory ? 'set' : 'add';
  const kept = Reflect.get(memory, way) as (key: unknown, value?: unknown) => unknown;
  Object.defineProperty(memory, way, {
    value: (key: unknown, value?: unknown) => {
      if (trying && !memory.has(key)) lapses.push(() => memory.delete(key));
      kept.call(memory, key, value);
      return memory;
    },
  });
};

const nameOf = (test: RunnerTestCase): string => {
  const names = [test.name];
  for (let suite = test.suite; suite; suite = suite.suite) names.unshift(suite.name);
  return `${test.file.name} ${names.join(' ')}`;
};

export default class MutantRunner extends TestRunner {
  #trial!: Trial;

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (test.mode !== 'run' && test.mode !== 'queued') return;
    const name = nameOf(test);
    if (spoilt || before.done.has(name)) {
      test.mode = 'skip';
      return;
    }
    test.retry = Number.MAX_SAFE_INTEGER;
    this.#trial = { test: name, phase: 'plain', open: [], began: 0, plain: 0, hits: {}, hung: false, again: 0 };
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    const trial = this.#trial;
    test.result!.errors = [];
    trial.hung = false;
    for (const forget of lapses.splice(0)) forget();
    trying = true;
    trial.began = performance.now();
    const broken = trial.phase === 'mutant' ? trial.mutant! : undefined;
    record({ at: { pid: process.pid, test: trial.test, mutant: broken } });
    switches.currentTestId = trial.phase === 'plain' ? trial.test : undefined;
    switches.activeMutant = broken;
    switches.hitCount = broken === undefined ? undefined : 0;
    switches.hitLimit = broken === undefined ? undefined : Math.max(1_000, trial.hits[broken]! * 100);
    if (trial.phase === 'plain') delete switches.mutantCoverage?.perTest[trial.test];
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const trial = this.#trial;
    const body = TestRunner.getTestFn(test);
    const stop = new AbortController();
    const hangs = new Promise<never>((_, reject) => {
      const hung = (): void => {
        trial.hung = true;
        reject(new Error('hangs'));
      };
      const timer = setTimeout(hung, trial.phase === 'plain' ? 60_000 : Math.max(6_000, trial.plain * 12));
      const idle = trial.phase === 'mutant' ? watchIdle(Math.max(1_000, trial.plain * 2), hung) : undefined;
      stop.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        clearInterval(idle);
      });
    });
    try {
      await Promise.race([Promise.resolve().then(body), hangs]);
    } finally {
      stop.abort();
    }
  }

  onAfterRetryTask(test: RunnerTestCase): void {
    const trial = this.#trial;
    const result = test.result!;
    const failed = result.state === 'fail';
    const said = String(result.errors?.[0]?.message ?? '').slice(0, 200);
    switches.activeMutant = undefined;
    switches.currentTestId = undefined;
    trying = false;
    // What counts for vitest is over: a failure here would only make it try again.
    result.errors = [];
    result.state = this.#next(trial, failed, said) ? 'fail' : 'pass';
    if (result.state === 'fail') result.errors = [{ message: 'the next mutant' }];
  }

  /** True if the test is to be tried once more. */
  #next(trial: Trial, failed: boolean, said: string): boolean {
    const { test } = trial;
    if (trial.phase === 'plain') {
      trial.plain = performance.now() - trial.began;
      if (failed) return this.#done(test, `fails as it is: ${said}`);
      trial.hits = switches.mutantCoverage?.perTest[test] ?? {};
      const covers = Object.keys(trial.hits);
      record({ covers, once: Object.keys(switches.mutantCoverage?.static ?? {}) });
      if (trial.plain > longest) return lastTurn && this.#done(test, `takes ${Math.round(trial.plain)} ms`);
      trial.open.push(...covers.reverse());
    } else if (trial.phase === 'mutant' && failed) {
      trial.phase = 'again';
      trial.again = 0;
      return true;
    } else if (trial.phase === 'again') {
      trial.again += 1;
      if (failed && trial.again < 2) return true;
      noticed.add(trial.mutant!);
      record({ noticed: trial.mutant!, by: test, how: trial.hung ? 'hung' : 'failed' });
      if (failed) {
        record({ spoilt: trial.mutant! });
        spoilt = true;
        return false;
      }
    }
    for (let mutant = trial.open.pop(); mutant !== undefined; mutant = trial.open.pop()) {
      if (noticed.has(mutant)) continue;
      trial.phase = 'mutant';
      trial.mutant = mutant;
      return true;
    }
    return this.#done(test);
  }

  #done(test: string, why?: string): false {
    record({ done: test, why });
    return false;
  }
}

/** Tells a test that waits for what never comes, without waiting for its limit: nothing at all has happened for a while. */
function watchIdle(most: number, hung: () => void): NodeJS.Timeout {
  let last = performance.eventLoopUtilization();
  let idle = 0;
  return setInterval(() => {
    const passed = performance.eventLoopUtilization(performance.eventLoopUtilization(), last);
    last = performance.eventLoopUtilization();
    idle = passed.active < 3 ? idle + passed.idle : 0;
    if (idle >= most) hung();
  }, 200);
}
