/**
 * What has happened in a call so far: the answers it was given and the results of its steps, in the order they were recorded.
 * An entry is found by its id, never by its position: the id is the digest of what was asked (or the step's name) and its
 * occurrence within the run. So answers may arrive in any order, parallel asks may settle in any order, and an answer can never
 * be fed to another question.
 */
import { visible } from '@midcall/core/text';
import { type Json, shortDigest } from '../base/index.ts';

/** Work of the author's: a `step`, the `check` of an answer, or a value that is `drawn`, such as the time. */
export type WorkKind = 'step' | 'check' | 'drawn';

/** What an entry answers: a question to the client, or work; `said` records what else the client was told. */
export type EntryKind = 'elicit' | 'url' | 'roots' | 'sample' | 'said' | WorkKind;

export interface Entry {
  readonly id: string;
  readonly kind: EntryKind;
  /** Names the entry to an author when runs diverge: the message of a question, the name of a step. */
  readonly label: string;
  /** Absent if a step returned nothing. */
  readonly value?: Json;
  /** The error of a step that threw; replaying the step throws it again. */
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string | number };
}

export type Journal = readonly Entry[];

/** Counts how often each digest has been used in one run, which gives every ask and step its id. */
export class Occurrences {
  readonly #counts = new Map<string, number>();

  /** @param what - the ask's kind and request, or the step's kind and name */
  next(kind: EntryKind, what: unknown): string {
    const key = keyOf(kind, what);
    const count = this.#countOf(key) + 1;
    this.#counts.set(key, count);
    return `${key}.${count}`;
  }

  /** What `next` would return. */
  peek(kind: EntryKind, what: unknown): string {
    const key = keyOf(kind, what);
    return `${key}.${this.#countOf(key) + 1}`;
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

const keyOf = (kind: EntryKind, what: unknown): string => shortDigest([kind, what]);

const longestLabel = 80;

/** A label as stored and shown: one line of visible text, and the state does not grow with the length of a message. */
export function shortLabel(label: string): string {
  const shown = visible(label.slice(0, longestLabel + 1).replace(/\s+/g, ' '));
  return shown.length > longestLabel ? `${shown.slice(0, longestLabel - 3)}...` : shown;
}

/** The labels of what is asked, for a message. */
export const labelsOf = (asks: readonly { readonly label: string }[]): string =>
  asks.map(({ label }) => `'${shortLabel(label)}'`).join(', ');

/** One line for an author: the kind of entry, and its label. */
export const describe = (entry: { readonly kind: EntryKind; readonly label: string }): string =>
  `${entry.kind} '${shortLabel(entry.label)}'`;
