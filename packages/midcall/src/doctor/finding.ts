/** The outcome of one check, and its words in a report. Pure. */

/** Every outcome, best first. */
export const outcomes = [
  'works',
  'refused',
  'wrong',
  'answers-by-itself',
  'dropped',
  'not-declared',
  'not-tried',
] as const;

/**
 * - `works`: proved by something that happens only if the host does it right.
 * - `refused`: somebody said no, so nothing is proved.
 * - `wrong`: an answer came, but not the one that was given.
 * - `answers-by-itself`: the host, or a program behind it, answered in the person's place.
 * - `dropped`: declared, and nothing useful came back.
 */
export type Outcome = (typeof outcomes)[number];

/** The result of one check. */
export interface Finding {
  readonly outcome: Outcome;
  /** How many milliseconds it took; 0 if nothing was tried. */
  readonly ms: number;
  /** One or two sentences. */
  readonly says: string;
}

export const finding = (outcome: Outcome, ms: number, says: string): Finding => ({ outcome, ms, says });

/** `3 ms`, `6.2 s`, `120 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${ms < 99_950 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s`;
}
