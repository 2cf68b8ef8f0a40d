/** Finds notes by words: every word must occur; a word in the title counts for more. Pure. */
import { oneLine } from './one-line.ts';

/** What is searched in. */
export interface Searched {
  readonly title: string;
  readonly text: string;
}

/** How well a note matches, and the passage that shows it. */
export interface Hit {
  readonly score: number;
  readonly excerpt: string;
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** The words of a query, at most 12. */
export function words(query: string): string[] {
  return [...new Set(fold(query).split(/\s+/u).filter(Boolean))].slice(0, 12);
}

/**
 * Judges one note.
 * @param terms - from {@link words}
 * @returns undefined if a word is missing
 */
export function match(terms: readonly string[], note: Searched): Hit | undefined {
  const title = fold(note.title);
  const text = fold(note.text);
  let score = 0;
  let first = -1;
  for (const term of terms) {
    const inTitle = title.includes(term);
    const at = text.indexOf(term);
    if (!inTitle && at < 0) return undefined;
    score += (inTitle ? 10 : 0) + (at < 0 ? 0 : Math.min(5, count(text, term)));
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  if (title === terms.join(' ')) score += 100;
  return { score, excerpt: first < 0 ? '' : excerpt(note.text.normalize('NFC'), first) };
}

function count(text: string, term: string): number {
  let hits = 0;
  for (let at = text.indexOf(term); at >= 0 && hits < 5; at = text.indexOf(term, at + term.length)) hits += 1;
  return hits;
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 60);
  const to = Math.min(text.length, at + 100);
  return `${from > 0 ? '…' : ''}${oneLine(text.slice(from, to), 200)}${to < text.length ? '…' : ''}`;
}
