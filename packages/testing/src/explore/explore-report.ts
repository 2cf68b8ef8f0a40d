/** The report of an exploration: typed, and as text for a person. Pure. */
import { counted } from '@midcall/core/text';
import { type FindingKind, outsideTheRules, type Sighting } from './explore-finding.ts';
import type { PlayedAs } from './explore-trace.ts';

/** Something an author should look at. */
export interface Finding {
  readonly kind: FindingKind;
  /** The ways of taking a path in which it was seen; empty if seeing it takes a comparison of two. */
  readonly playedAs: readonly PlayedAs[];
  /** What happened, in a sentence. */
  readonly message: string;
  /** The shortest path to it: each question with its outcome. */
  readonly path: readonly string[];
  /** On how many paths. */
  readonly paths: number;
}

/** What an exploration found. */
export interface ExploreReport {
  readonly tool: string;
  /** Findings that break a promise to the person or the caller. */
  readonly findings: readonly Finding[];
  /** Findings outside the rules for handlers: it may work today, but is not guaranteed. */
  readonly outside: readonly Finding[];
  /** The number of different paths taken through the tool. */
  readonly paths: number;
  /** The number of runs: in both eras, and as a task if the tool can be one. */
  readonly runs: number;
  /** The most questions a path asked. */
  readonly asks: number;
  /** What was not covered, in sentences; empty if every outcome of every question was. */
  readonly notCovered: readonly string[];
  /** All of this as text. */
  readonly text: string;
}

interface Growing {
  sighting: Sighting;
  readonly playedAs: Set<PlayedAs>;
  readonly paths: Set<string>;
  shortest: readonly string[];
}

/** Merges findings as they are made. */
export class Findings {
  readonly #byKey = new Map<string, Growing>();

  add(sighting: Sighting, path: readonly string[]): void {
    // Its message names the question that was open at the end: another one on each path.
    const key = sighting.kind === 'too-many-rounds' ? sighting.kind : `${sighting.kind} ${sighting.message}`;
    const entry = this.#byKey.get(key) ?? { sighting, playedAs: new Set(), paths: new Set(), shortest: path };
    this.#byKey.set(key, entry);
    if (sighting.playedAs) entry.playedAs.add(sighting.playedAs);
    entry.paths.add(JSON.stringify(path));
    if (path.length < entry.shortest.length) {
      entry.sighting = sighting;
      entry.shortest = path;
    }
  }

  list(outside: boolean): readonly Finding[] {
    return [...this.#byKey.values()]
      .filter(({ sighting }) => outsideTheRules.has(sighting.kind) === outside)
      .map(({ sighting: { kind, message }, playedAs, paths, shortest }) => {
        return { kind, message, playedAs: [...playedAs], path: shortest, paths: paths.size };
      });
  }
}

export function writeReport(report: Omit<ExploreReport, 'text'>): ExploreReport {
  const { tool, paths, runs, asks, findings, outside, notCovered } = report;
  const lines = [
    `${tool}: ${counted(paths, 'path')} in ${counted(runs, 'run')}, at most ${counted(asks, 'question')} each.`,
    ...section(
      findings.length === 0 ? 'Nothing broken was found.' : `${counted(findings.length, 'finding')}:`,
      findings,
    ),
    ...(outside.length === 0 ? [] : section('Outside the rules:', outside)),
    notCovered.length === 0 ? 'Every outcome of every question was covered.' : 'Not covered:',
    ...notCovered.map(each => `  - ${each}`),
  ];
  return { ...report, text: lines.join('\n') };
}

function section(title: string, findings: readonly Finding[]): string[] {
  return [
    title,
    ...findings.flatMap(({ kind, message, playedAs, paths, path }) => [
      `  - ${kind}: ${message.replace(/\.$/, '')}. ${where(playedAs)}; on ${paths} ${paths === 1 ? 'path' : 'paths'}, such as:`,
      ...(path.length === 0 ? ['      (nobody was asked)'] : path.map((each, index) => `      ${index + 1}. ${each}`)),
    ]),
  ];
}

function where(playedAs: readonly PlayedAs[]): string {
  const eras = playedAs.filter(each => each !== 'task');
  if (eras.length === playedAs.length) return eras.length === 1 ? `Only on ${eras[0]}` : 'In both eras';
  if (eras.length === 0) return 'Only as a task';
  return `${eras.length === 1 ? `On ${eras[0]}` : 'In both eras'} and as a task`;
}
