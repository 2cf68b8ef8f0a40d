/**
 * Ids of notes: short enough for a form, the same in every run and in every copy of a tree. Pure.
 *
 * - note-id-N1 An id depends on the path below the root alone, so a note keeps it while others come and go.
 * - note-id-N2 No two notes of one list share an id: if two would (the same path in two roots, or a collision), each of them
 *   gets an id from its absolute path instead.
 */
import { createHash } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function short(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, length);
  return `note-${Array.from(bytes, byte => alphabet[byte % 32]).join('')}`;
}

/** A file, as far as its id depends on it. */
export interface Placed {
  /** Absolute. */
  readonly path: string;
  /** The path below its root, with `/` as the separator. */
  readonly relative: string;
}

/**
 * Ids for all files of a list.
 * @param hash - maps a text to an id; only tests that want collisions give another one
 * @returns absolute path -> id
 */
export function noteIds(
  files: readonly Placed[],
  hash: (text: string, length: number) => string = short,
): ReadonlyMap<string, string> {
  const byId = new Map<string, Placed[]>();
  for (const file of files) {
    const id = hash(file.relative.normalize('NFC'), 8);
    byId.set(id, [...(byId.get(id) ?? []), file]);
  }
  const ids = new Map<string, string>();
  for (const [id, group] of byId) {
    for (const file of group) ids.set(file.path, group.length === 1 ? id : hash(file.path, 16));
  }
  return ids;
}
