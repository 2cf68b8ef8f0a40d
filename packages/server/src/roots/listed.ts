/** Checks a client's list of roots before anything reads it: either the whole list counts, or none of it. */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import type { Root } from '@midcall/core/roots';

/**
 * @param roots - as it arrived
 * @throws MidcallError roots/invalid if it is not a list of roots (schema.json, `ListRootsResult`)
 */
export function listedRoots(roots: unknown): readonly Root[] {
  const fine =
    Array.isArray(roots) &&
    roots.every(
      root =>
        isRecord(root) && typeof root.uri === 'string' && (root.name === undefined || typeof root.name === 'string'),
    );
  if (!fine) throw new MidcallError('roots/invalid', "The client's list of roots is not a list of { uri, name? }.");
  return (roots as readonly Root[]).map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }));
}
