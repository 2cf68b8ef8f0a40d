/**
 * Runs each test as it is, then once with each mutant that it has to try, by trying it again and again as vitest does with a test
 * that may fail. What happens is recorded for tools/mutants.ts.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { type Entry, type Known, type Ran, readRecord } from './mutants-judge.ts';

/** What Stryker's switches in the sources look at. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Record<string, Readonly<Record<string, number>>>;
  };
  /** Called for what a module remembers (tools/mutants.ts). */
  forget?: (memory: Memory) => void;
}

type Memory = Map<unknown, unknown> | Set<unknown>;

/** The test that is being tried. */
interface Trial {
  readonly test: string;
  readonly open: string[];
  /** As it is, with a mutant, or again as it is, since what fails for good says nothing about mutants. */
  phase: 'plain' | 'mutant' | 'again';
  mutant?: string | undefined;
  began: number;
  plain: Ran;
  /** How often it has passed as it is: twice before it judges, as some tests work only once. */
  plains: number;
  /** How often it has failed again. */
  again: number;
}

const file = process.env['MIDCALL_MUTANTS_RECORD']!;

/** What outlives a file of tests: a process runs many, and each loads this module again. */
interface Process {
  readonly switches: Switches;
  readonly known: Known;
  /** What takes back what has been remembered since the test began. */
  readonly lapses: (() => void)[];
  trying: boolean;
  spoilt: boolean;
}

const shared = globalThis as { __stryker__?: Switches; midcallMutants?: Process };
shared.midcallMutants ??= start();
const here = shared.midcallMutants;
const { switches, known, lapses } = here;

function start(): Process {
  shared.__stryker__ ??= {};
  const started: Process = {
    switches: shared.__stryker__,
    known: readRecord(readFileSync(file, 'utf8')),
    lapses: [],
    trying: false,
    spoilt: false,
  };
  started.switches.forget = memory => {
    const way = 'set' in memory ? 'set' : 'add';
    const kept = Reflect.get(memory, way) as (key: unknown, value?: unknown) => unknown;
    Object.defineProperty(memory, way, {
      value: (key: unknown, value?: unknown) => {
        if (started.trying && !memory.has(key)) started.lapses.push(() => memory.delete(key));
        kept.call(memory, key, value);
        return memory;
      },
    });
  };
  return started;
}

function record(entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  known.add(entry);
}

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
    const mutants = known.open(name);
    if (here.spoilt || known.done.has(name) || (known.ran.has(name) && mutants.length === 0)) {
      test.mode = 'skip';
      return;
    }
    test.retry = Number.MAX_SAFE_INTEGER;
    this.#trial = {
      test: name,
      open: mutants,
      phase: 'plain',
      began: 0,
      plain: { ms: 0, hits: {} },
      plains: 0,
      again: 0,
    };
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    const trial = this.#trial;
    const { phase, mutant, plain } = trial;
    test.result!.errors = [];
    for (const forget of lapses.splice(0)) forget();
    here.trying = true;
    trial.began = performance.now();
    const active = phase === 'mutant' ? mutant! : undefined;
    record({ at: { pid: process.pid, test: trial.test, mutant: active } });
    switches.currentTestId = phase === 'plain' ? trial.test : undefined;
    switches.activeMutant = active;
    switches.hitCount = active === undefined ? undefined : 0;
    switches.hitLimit = active === undefined ? undefined : Math.max(1_000, (plain.hits[active] ?? 0) * 100);
    if (phase === 'plain') delete switches.mutantCoverage?.perTest[trial.test];
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const { phase, plain } = this.#trial;
    const body = TestRunner.getTestFn(test);
    const stop = new AbortController();
    const hangs = new Promise<never>((_, reject) => {
      const hung = (): void => reject(new Error('hangs'));
      const timer = setTimeout(hung, phase === 'plain' ? 60_000 : Math.max(6_000, plain.ms * 12));
      const idle = phase === 'mutant' ? watchIdle(Math.max(1_000, plain.ms * 2), hung) : undefined;
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
    const result = test.result!;
    const failed = result.state === 'fail';
    const said = String(result.errors?.[0]?.message ?? '').slice(0, 200);
    switches.activeMutant = undefined;
    switches.currentTestId = undefined;
    here.trying = false;
    // What counts for vitest is over: a failure here would only make it try again.
    const more = this.#next(this.#trial, failed, said);
    result.errors = more ? [{ message: 'the next mutant' }] : [];
    result.state = more ? 'fail' : 'pass';
  }

  /** True if the test is to be tried once more. */
  #next(trial: Trial, failed: boolean, said: string): boolean {
    const { test } = trial;
    if (trial.phase === 'plain') {
      const hits = switches.mutantCoverage?.perTest[test] ?? {};
      trial.plain = { ms: performance.now() - trial.began, hits };
      if (failed) return this.#done(test, `fails ${trial.plains === 0 ? 'as it is' : 'the second time'}: ${said}`);
      if (known.turn === 0) {
        record({ ran: test, once: Object.keys(switches.mutantCoverage?.static ?? {}), ...trial.plain });
        return false;
      }
      trial.plains += 1;
      if (trial.plains === 1) return true;
    } else if (trial.phase === 'mutant' && failed) {
      trial.phase = 'again';
      trial.again = 0;
      return true;
    } else if (trial.phase === 'again') {
      trial.again += failed ? 1 : 0;
      if (failed && trial.again < 2) return true;
      record({ killed: trial.mutant! });
      if (failed) {
        record({ spoilt: trial.mutant! });
        here.spoilt = true;
        return false;
      }
    }
    trial.phase = 'mutant';
    do trial.mutant = trial.open.pop();
    while (trial.mutant !== undefined && !known.isOpen(trial.mutant, trial.test));
    return trial.mutant !== undefined || this.#done(test);
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
