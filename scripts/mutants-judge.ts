/** What the record of a run over mutants (mutants-runner.ts) says of them. Pure. */

interface Place {
  readonly line: number;
  readonly column: number;
}

/** One way in which a source is broken. */
export interface Mutant {
  readonly id: string;
  readonly file: string;
  /** Counted from zero, as Stryker does. */
  readonly start: Place;
  readonly end: Place;
  readonly replacement: string;
  /** True if a comment in the source names it as one that no test can notice. */
  readonly named: boolean;
}

/** Where a process is: which test, and with which mutant, if any. */
export interface At {
  readonly pid: number;
  readonly test: string;
  readonly mutant?: string | undefined;
}

/** One line of the record. */
export type Entry =
  | { readonly at: At }
  /** What a test runs through, and what has run once before it. */
  | { readonly covers: readonly string[]; readonly once: readonly string[] }
  | { readonly noticed: string; readonly by: string; readonly how: 'failed' | 'hung' }
  /** A test is through, or says nothing, for a reason. */
  | { readonly done: string; readonly why?: string | undefined }
  /** A mutant left something behind, so that the rest is for another process. */
  | { readonly spoilt: string }
  /** A process had to be ended there. */
  | { readonly stuck: At };

export interface Record {
  readonly noticed: ReadonlySet<string>;
  readonly covered: ReadonlySet<string>;
  readonly once: ReadonlySet<string>;
  readonly done: ReadonlySet<string>;
  /** Tests that noticed nothing, and why. */
  readonly silent: readonly string[];
  /** True if a process did not come to its end. */
  readonly broken: boolean;
  readonly at?: At | undefined;
}

/** Reads a record; a last line that is half written counts for nothing. */
export function readRecord(text: string): Record {
  const noticed = new Set<string>();
  const covered = new Set<string>();
  const once = new Set<string>();
  const done = new Set<string>();
  const silent: string[] = [];
  let broken = false;
  let at: At | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const entry = JSON.parse(line) as Entry;
    if ('at' in entry) at = entry.at;
    else if ('covers' in entry) {
      for (const id of entry.covers) covered.add(id);
      for (const id of entry.once) once.add(id);
    } else if ('noticed' in entry) noticed.add(entry.noticed);
    else if ('done' in entry) {
      done.add(entry.done);
      if (entry.why !== undefined) silent.push(`${entry.done}: ${entry.why}`);
    } else {
      broken = true;
      if (!('stuck' in entry)) continue;
      const { mutant, test } = entry.stuck;
      if (mutant !== undefined) noticed.add(mutant);
      else done.add(test);
      if (mutant === undefined) silent.push(`${test}: stuck`);
    }
  }
  return { noticed, covered, once, done, silent, broken, at };
}

/**
 * What to tell a person, and which part of the mutants was noticed. Those named in the source do not count, nor do those that run
 * only once, when a module is loaded, before they can be switched on.
 */
export function report(
  mutants: readonly Mutant[],
  { noticed, covered, once, silent }: Record,
  sources: { get(file: string): string | undefined },
): { readonly lines: readonly string[]; readonly noticed: number } {
  const counted = mutants.filter(each => !each.named && (covered.has(each.id) || !once.has(each.id)));
  const unnoticed = counted.filter(each => !noticed.has(each.id));
  const caught = counted.length - unnoticed.length;
  const part = counted.length === 0 ? 0 : caught / counted.length;
  const named = mutants.filter(each => each.named).length;
  const lines = unnoticed.map(
    each => `  ${spelled(each, sources.get(each.file) ?? '')}${covered.has(each.id) ? '' : ' (never run)'}`,
  );
  return {
    noticed: part,
    lines: [
      ...silent.map(each => `  a test that judged nothing: ${each}`),
      ...lines,
      `  ${caught} of ${counted.length} noticed (${(100 * part).toFixed(1)} %); ${named} named as such that nobody can notice`,
    ],
  };
}

const shown = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > 100 ? `${flat.slice(0, 99)}…` : flat;
};

function spelled({ file, start, end, replacement }: Mutant, source: string): string {
  const lines = source.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  if (last >= 0) lines[last] = lines[last]!.slice(0, end.column);
  if (last >= 0) lines[0] = lines[0]!.slice(start.column);
  const name = file.slice(file.indexOf('packages/'));
  return `${name}:${start.line + 1} «${shown(lines.join('\n'))}» -> «${shown(replacement)}»`;
}
