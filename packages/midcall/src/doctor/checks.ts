/** The checks, in the order of a report, and which capability each needs. Pure. */
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
