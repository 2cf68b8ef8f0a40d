/** The checks, in the order of a report; which capability each needs; and how it ended. Pure. */
import type { Can } from '@midcall/server';

/** A check that can be asked for by name. */
export const checkNames = ['roots', 'sampling', 'form', 'fields', 'decline', 'dismiss', 'page'] as const;
export type CheckName = (typeof checkNames)[number];

/** A line of the report. Most checks have one; a form with several kinds of field has one for each. */
export const rows = {
  form: { title: 'Form', needs: 'form' },
  'fields.text': { title: 'Default value', needs: 'form' },
  'fields.number': { title: 'Whole number', needs: 'form' },
  'fields.boolean': { title: 'Yes or no', needs: 'form' },
  'fields.choice': { title: 'One of several', needs: 'form' },
  'fields.choices': { title: 'Some of several', needs: 'form' },
  decline: { title: 'Decline', needs: 'form' },
  dismiss: { title: 'Dismiss', needs: 'form' },
  page: { title: 'Page (URL mode)', needs: 'url' },
  roots: { title: 'Roots', needs: 'roots' },
  sampling: { title: 'Sampling', needs: 'sampling' },
  timeout: { title: 'Call timeout', needs: undefined },
  'timeout.progress': { title: 'Call timeout with progress', needs: undefined },
} as const satisfies Record<string, { readonly title: string; readonly needs: keyof Can | undefined }>;

export type RowName = keyof typeof rows;
export const rowNames = Object.keys(rows) as readonly RowName[];

/** The lines of a check, or of a wait of the second tool. */
export const rowsOf = (name: CheckName | 'timeout' | 'timeout.progress'): readonly RowName[] =>
  name === 'fields' ? rowNames.filter(row => row.startsWith('fields.')) : [name];

/** True if the client declares what a line needs. */
export function declares(can: Can, row: RowName): boolean {
  const { needs } = rows[row];
  return needs === undefined || can[needs];
}

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
