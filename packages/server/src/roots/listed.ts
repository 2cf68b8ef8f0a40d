/** A client's list of roots, read before anything uses it. */
import { MidcallError } from '@midcall/core/errors';
import { type Root, readRootsList } from '@midcall/core/roots';

/**
 * @param answer - the result of `roots/list`, as it arrived
 * @param leftOut - told in one sentence of each entry that is no root
 * @throws MidcallError roots/invalid if it has no list, or one without a single root in it
 */
export function listedRoots(answer: unknown, leftOut?: (sentence: string) => void): readonly Root[] {
  const read = readRootsList(answer);
  if (!read || (read.roots.length === 0 && read.leftOut.length > 0))
    throw new MidcallError('roots/invalid', "The client's list of roots is not a list of { uri, name? }.");
  for (const sentence of read.leftOut) leftOut?.(sentence);
  return read.roots;
}
