/** What is known of the mutants of a folder: read from the record of a run (mutants-runner.ts), and told to a person. Pure. */

/** One way in which a source is broken. */
export interface Mutant {
  readonly id: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The number of the line on which it begins, and the line. */
  readonly at: number;
  readonly line: string;
  /** What stands there, and what stands there instead. */
  readonly code: string;
  readonly instead: string;
}

/** A mutant that no test can kill, since the code does the same with it: one entry of tools/conformance/equivalent-mutants.json. */
export interface Equivalent {
  readonly file: string;
  /** The line on which it begins, where the same code stands in several. */
  readonly line?: string;
  readonly code: string;
  readonly instead: string;
  readonly why: string;
}

/** Where a process is: which test, and with which mutant, if any. */
export interface At {
  readonly pid: number;
  readonly test: string;
  readonly mutant?: string | undefined;
}

/** A test as it is: how long it took, in milliseconds, and how often it ran through each mutant. */
export interface Ran {
  readonly ms: number;
  readonly hits: Readonly<Record<string, number>>;
}

/** One line of the record. */
export type Entry =
  /** Which mutants are tried. */
  | { readonly tried: readonly string[] }
  /** From here on, tests try mutants if they take no longer than that, in milliseconds. */
  | { readonly turn: number }
  | { readonly at: At }
  /** What a test ran through, and what has run once before it. */
  | ({ readonly ran: string; readonly once: readonly string[] } & Ran)
  | { readonly killed: string }
  /** A test is through, or says nothing, for a reason. */
  | { readonly done: string; readonly why?: string | undefined }
  /** A mutant left something behind, so that the rest is for another process. */
  | { readonly spoilt: string }
  /** A process had to be ended there. */
  | { readonly stuck: At };

/**
 * How many tests of one file try a mutant, and for how long all of them do, in milliseconds that they take without it: tests of a
 * file are alike, and the quickest come first. Without a limit, what survives takes most of a run.
 */
const tryLimit = { tests: 40, ms: 15_000 };

/** What is known so far. */
export class Known {
  readonly tried = new Set<string>();
  readonly killed = new Set<string>();
  readonly once = new Set<string>();
  readonly ran = new Map<string, Ran>();
  readonly done = new Set<string>();
  /** Tests that judged nothing, and why. */
  readonly silent: string[] = [];
  turn = 0;
  /** True if a process of this turn did not come to its end. */
  broken = false;
  /** Absent between two tests. */
  at: At | undefined;
  readonly #spent = new Map<string, number>();
  readonly #tests = new Map<string, number>();

  add(entry: Entry): void {
    if ('tried' in entry) for (const id of entry.tried) this.tried.add(id);
    else if ('turn' in entry) [this.turn, this.broken, this.at] = [entry.turn, false, undefined];
    else if ('at' in entry) {
      this.at = entry.at;
      const { test, mutant } = entry.at;
      if (mutant === undefined) return;
      add(this.#spent, mutant, this.ran.get(test)?.ms ?? 0);
      add(this.#tests, `${mutant} ${fileOf(test)}`, 1);
    } else if ('ran' in entry) {
      this.at = undefined;
      this.ran.set(entry.ran, { ms: entry.ms, hits: entry.hits });
      for (const id of entry.once) this.once.add(id);
    } else if ('killed' in entry) this.killed.add(entry.killed);
    else if ('done' in entry) this.#end(entry.done, entry.why);
    else {
      this.broken = true;
      if (!('stuck' in entry)) return;
      if (entry.stuck.mutant !== undefined) this.killed.add(entry.stuck.mutant);
      else this.#end(entry.stuck.test, 'stuck');
    }
  }

  /** The mutants that a test has to try in this turn. */
  open(test: string): string[] {
    const { ms, hits } = this.ran.get(test) ?? { ms: 0, hits: {} };
    return this.done.has(test) || ms > this.turn ? [] : Object.keys(hits).filter(id => this.isOpen(id, test));
  }

  isOpen(mutant: string, test: string): boolean {
    return (
      this.tried.has(mutant) &&
      !this.killed.has(mutant) &&
      (this.#spent.get(mutant) ?? 0) < tryLimit.ms &&
      (this.#tests.get(`${mutant} ${fileOf(test)}`) ?? 0) < tryLimit.tests
    );
  }

  #end(test: string, why: string | undefined): void {
    this.done.add(test);
    this.at = undefined;
    if (why !== undefined) this.silent.push(`${test}: ${why}`);
  }
}

const add = (sums: Map<string, number>, key: string, more: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + more);

/** The file of a test, with which its name begins. */
export const fileOf = (test: string): string => test.split(' ', 1)[0]!;

/** Reads a record; a last line that is half written counts for nothing. */
export function readRecord(text: string): Known {
  const known = new Known();
  for (const line of text.split('\n').slice(0, -1)) known.add(JSON.parse(line) as Entry);
  return known;
}

export interface Score {
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: number;
  /** Killed, of those that are not equivalent. */
  readonly part: number;
  /** What a person has to look at. */
  readonly lines: readonly string[];
  /** Entries of the list that name nothing in this folder, or what a test has killed. */
  readonly stale: readonly string[];
}

/**
 * Counts the mutants that were tried. Those that run only once, when a module is loaded, before they can be switched on, do not
 * count.
 */
export function score(mutants: readonly Mutant[], record: Known, equivalents: readonly Equivalent[]): Score {
  const covered = new Set([...record.ran.values()].flatMap(({ hits }) => Object.keys(hits)));
  const counted = mutants.filter(({ id }) => record.tried.has(id) && (covered.has(id) || !record.once.has(id)));
  const named = new Set<Mutant>();
  const stale: string[] = [];
  for (const each of equivalents) {
    const places = mutants.filter(mutant => isNamed(mutant, each));
    const dead = places.filter(({ id }) => record.killed.has(id));
    if (places.length === 0) stale.push(`names nothing: ${each.file} ${change(each)}`);
    for (const mutant of dead) stale.push(`killed: ${spelled(mutant)}`);
    for (const mutant of places) named.add(mutant);
  }
  const killed = counted.filter(({ id }) => record.killed.has(id)).length;
  const survivors = counted.filter(mutant => !record.killed.has(mutant.id) && !named.has(mutant));
  const judged = killed + survivors.length;
  const slow = [...record.ran].filter(([test, { ms }]) => !record.done.has(test) && ms > record.turn);
  return {
    killed,
    equivalent: counted.length - judged,
    survived: survivors.length,
    part: judged === 0 ? 0 : killed / judged,
    lines: [
      ...record.silent.map(each => `a test that judged nothing: ${each}`),
      ...slow.map(([test, { ms }]) => `a test that judged nothing: ${test}: takes ${Math.round(ms)} ms`),
      ...survivors.map(mutant => `${spelled(mutant)}${covered.has(mutant.id) ? '' : ' (never run)'}`),
    ],
    stale,
  };
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

const isNamed = (mutant: Mutant, { file, line, code, instead }: Equivalent): boolean =>
  mutant.file === file &&
  flat(mutant.code) === code &&
  flat(mutant.instead) === instead &&
  (line === undefined || flat(mutant.line) === line);

const change = ({ code, instead }: { readonly code: string; readonly instead: string }): string =>
  `«${flat(code)}» -> «${flat(instead)}»`;

const spelled = (mutant: Mutant): string => `${mutant.file}:${mutant.at} ${change(mutant)}`;
