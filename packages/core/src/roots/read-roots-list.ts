import { isRecord, own } from '../json/index.ts';

/** A root as in the protocol (schema.json, `Root`). */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** What of a client's list of roots can be read, and why the rest cannot. */
export interface ListedRoots {
  readonly roots: readonly Root[];
  /** One sentence for each entry that is no root. */
  readonly leftOut: readonly string[];
}

/** The most entries that are named one by one. */
const mostNamed = 10;

/**
 * Reads a client's list of roots, entry by entry: what is no root does not affect the others, and a name that is no text counts as
 * none. Where a URI leads is not judged here.
 * @param answer - the result of `roots/list` (schema.json, `ListRootsResult`), as it arrived
 * @returns undefined if it has no list
 */
export function readRootsList(answer: unknown): ListedRoots | undefined {
  const listed = own(answer, 'roots');
  if (!Array.isArray(listed)) return undefined;
  const leftOut: string[] = [];
  const roots = listed.flatMap((root, at): Root[] => {
    const [uri, name] = isRecord(root) ? [root['uri'], root['name']] : [];
    if (typeof uri === 'string') return [typeof name === 'string' ? { uri, name } : { uri }];
    if (leftOut.length < mostNamed) leftOut.push(`Entry ${at + 1} of the client's roots has no URI, and is left out.`);
    return [];
  });
  return { roots, leftOut };
}
