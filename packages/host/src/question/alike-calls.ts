/** Questions about calls of one tool that differ in the arguments alone, which a view shows together. Pure. */
import type { CallQuestion, Question } from './question.ts';

/** The most questions of one fold: more than a person reads at once would be a yes to what they have not read. */
const mostFolded = 50;

/**
 * Folds questions for a list, so that alike calls are one row of it. Each stays a question of its own: a view replies to each of
 * those that it has shown.
 * @param questions - open ones, oldest first
 * @returns the rows, by their first question
 * @example
 * ```ts
 * for (const [first, ...others] of foldAlike(inbox.list())) console.log(first.asker.id, 1 + others.length);
 * ```
 */
export function foldAlike<Q extends Question>(questions: readonly Q[]): readonly (readonly [Q, ...Q[]])[] {
  const folds: [Q, ...Q[]][] = [];
  for (const question of questions) {
    const fold = folds.find(([first, ...others]) => areAlike(first, question) && others.length + 1 < mostFolded);
    if (fold) fold.push(question);
    else folds.push([question]);
  }
  return folds;
}

/** True if a person can decide about both calls together. */
export const areAlike = (one: Question, other: Question): boolean =>
  isCall(one) &&
  isCall(other) &&
  one.alike !== undefined &&
  one.alike === other.alike &&
  one.asker.id === other.asker.id &&
  one.call.name === other.call.name;

const isCall = (question: Question): question is CallQuestion => question.kind === 'call';
