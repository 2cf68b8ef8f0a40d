import { checkKey } from './entry.ts';

/**
 * Sets whose members each have a score, by which they are found in order: what Midcall has to find without knowing its key, such
 * as waiting calls by their deadlines.
 *
 * - store-S5 `add` and `remove` change one member each, atomically across every process that shares the store: of changes made
 *   at once none is lost, and what is acknowledged is there after `kill -9`.
 */
export interface SortedSets {
  /**
   * Adds a member, or gives it another score.
   * @param set - as a key of the store; sets and values of the same name have nothing to do with each other
   * @param member - as a key of the store
   * @param score - a whole number that JavaScript represents exactly
   */
  add(set: string, member: string, score: number): Promise<void>;
  /** Removes members; nothing happens for those that are not in the set. */
  remove(set: string, members: readonly string[]): Promise<void>;
  /**
   * @param max - the highest score to return; every member if absent
   * @returns the members with their scores, the lowest score first
   */
  range(set: string, max?: number): Promise<readonly (readonly [member: string, score: number])[]>;
}

/** @throws TypeError for a name or a member that a store cannot hold as a key */
export function checkMembers(set: string, members: readonly string[]): void {
  checkKey(set);
  for (const member of members) checkKey(member);
}

/** @throws TypeError for a score that is not a whole number, or is too large to be represented exactly */
export function checkScore(score: number): void {
  if (!Number.isSafeInteger(score)) throw new TypeError('A score must be a whole number from -(2^53 - 1) to 2^53 - 1.');
}
