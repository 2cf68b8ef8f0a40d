/** Judges what the host does without the person: its roots, its model, and its timeout. Pure. */
import { isMidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { type PathStyle, type Root, toPath } from '@midcall/server/roots';
import { duration, type Finding, finding } from './checks.ts';

/** @param announces - true if the client declares that it announces changes */
export function judgeRoots(
  roots: readonly Root[] | undefined,
  ms: number,
  { announces, style }: { readonly announces: boolean; readonly style?: PathStyle },
): Finding {
  if (!roots) return finding('dropped', ms, 'The host declares roots, and gave no list of them.');
  const bad = roots.map(({ uri }) => problemWith(uri, style)).filter(each => each !== undefined);
  if (bad.length > 0) return finding('wrong', ms, `${bad.length} of ${count(roots.length)} cannot be used: ${bad[0]}`);
  const later = announces ? 'Changes are announced.' : 'Changes are not announced.';
  return finding(
    'works',
    ms,
    `${roots.length === 0 ? 'An empty list: no folder is granted' : count(roots.length)}. ${later}`,
  );
}

/** @param outcome - the text of the reply, or what was thrown instead */
export function judgeReply(
  word: string,
  ms: number,
  outcome: { readonly text: string } | { readonly error: unknown },
): Finding {
  if ('text' in outcome) {
    return outcome.text.toLowerCase().includes(word)
      ? finding('works', ms, 'The model said what it was asked to.')
      : finding('wrong', ms, 'A reply came, but it was not the one word that was asked for.');
  }
  if (isMidcallError(outcome.error, 'sampling/refused'))
    return finding('refused', ms, 'The request was refused. If that was not you, the host did it.');
  if (isMidcallError(outcome.error, 'sampling/suspect'))
    return finding('answers-by-itself', ms, 'It was refused before anybody could have read it.');
  if (isMidcallError(outcome.error, 'sampling/invalid'))
    return finding('wrong', ms, 'The reply breaks the rules of the protocol.');
  return finding('dropped', ms, 'The host declares sampling, and no reply came.');
}

/** How a call that was held open ended. */
export type HoldEnd =
  | { readonly how: 'held' }
  | { readonly how: 'cancelled' }
  /** Another call came while this one was open: the host had given it up without saying so. */
  | { readonly how: 'left'; readonly afterMs: number };

/** @param ms - how many milliseconds it was held */
export function judgeHold(ms: number, end: HoldEnd): Finding {
  if (end.how === 'cancelled') return finding('dropped', ms, `The host cancelled the call after ${duration(ms)}.`);
  if (end.how === 'left')
    return finding(
      'dropped',
      end.afterMs,
      `The host called again after ${duration(end.afterMs)}, with the call still open: it had given up without saying so.`,
    );
  return finding('works', ms, `The call was held for ${duration(ms)}, and the host did not cancel it.`);
}

function problemWith(uri: string, style: PathStyle | undefined): string | undefined {
  try {
    toPath(uri, style);
    return undefined;
  } catch (error) {
    return visible((error as Error).message, { max: 300 });
  }
}

const count = (roots: number): string => `${roots} ${roots === 1 ? 'folder' : 'folders'}`;
