/** Sorted sets in the memory of one process. A range is searched for: they are read far less often than they are changed. */
import { MidcallError } from '@midcall/core/errors';
import { checkMembers, checkScore, type SortedSets } from '@midcall/core/store';

/**
 * @param maxMembers - of all sets
 * @param maxCharacters - of all members
 * @returns sets that refuse a new member with MidcallError `store/unavailable` when they are full
 */
export function memorySortedSets(maxMembers: number, maxCharacters: number): SortedSets {
  const sets = new Map<string, Map<string, number>>();
  let count = 0;
  let characters = 0;
  return {
    async add(set, member, score) {
      checkMembers(set, [member]);
      checkScore(score);
      const scores = sets.get(set) ?? new Map<string, number>();
      if (!scores.has(member)) {
        if (count >= maxMembers || characters + member.length > maxCharacters) throw full(count, characters);
        count += 1;
        characters += member.length;
        sets.set(set, scores);
      }
      scores.set(member, score);
    },
    async remove(set, members) {
      checkMembers(set, members);
      const scores = sets.get(set);
      for (const member of members) {
        if (!scores?.delete(member)) continue;
        count -= 1;
        characters -= member.length;
      }
      if (scores?.size === 0) sets.delete(set);
    },
    async range(set, max) {
      checkMembers(set, []);
      if (max !== undefined) checkScore(max);
      const found = [...(sets.get(set) ?? [])].filter(([, score]) => max === undefined || score <= max);
      return found.sort(([, a], [, b]) => a - b);
    },
  };
}

const full = (members: number, characters: number): MidcallError =>
  new MidcallError(
    'store/unavailable',
    `The sorted sets of the memory store are full (${members} members, ${characters} characters). ` +
      'Raise maxEntries or maxCharacters, or use SQLite or Redis.',
  );
