/** What the person has to see exactly before they answer: a text of any length, a diff or a table. Pure. */
import { hash } from 'node:crypto';
import { canonical, isTexts } from '@midcall/core/json';
import type { Kind } from '@midcall/core/options';

/**
 * What an answer is about, shown unabridged: a text, a unified diff as `git diff` writes it, or a table whose rows have a text for
 * each column. Up to 1,000,000 characters.
 */
export type Details =
  | string
  | { readonly diff: string }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

const mostCharacters = 1_000_000;

function isDetails(value: unknown): value is Details {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value !== 'object' || value === null) return false;
  const { diff, columns, rows, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return false;
  if (diff !== undefined)
    return typeof diff === 'string' && diff.trim() !== '' && columns === undefined && rows === undefined;
  return (
    isTexts(columns) &&
    columns.length > 0 &&
    Array.isArray(rows) &&
    rows.every(row => isTexts(row) && row.length === columns.length)
  );
}

export const detailsKind: Kind = {
  words:
    'a text, { diff: a text } or { columns, rows } with as many texts in each row as columns, of at most 1,000,000 characters in all',
  fits: value => isDetails(value) && detailsText(value).length <= mostCharacters,
};

/** The details as text, for channels that show nothing else. */
export function detailsText(details: Details): string {
  if (typeof details === 'string') return details;
  if ('diff' in details) return details.diff;
  const { columns, rows } = details;
  return [columns, ...rows].map(row => row.join(' | ')).join('\n');
}

/** SHA-256 of what was shown, in hexadecimal: of the text or the diff itself, or of a table's canonical JSON. */
export const detailsDigest = (details: Details): string =>
  hash('sha256', typeof details === 'string' ? details : 'diff' in details ? details.diff : canonical(details), 'hex');
