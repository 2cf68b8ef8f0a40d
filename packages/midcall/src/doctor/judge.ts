/**
 * Judges a host: what its answers to forms and pages prove, and what it does without the person, with its roots, its model and its
 * timeout. Pure.
 */

import { isMidcallError } from '@midcall/core/errors';
import { type Answer, checkValue, type Form, labelOf } from '@midcall/core/form';
import { own } from '@midcall/core/json';
import { counted, visible } from '@midcall/core/text';
import { type PathStyle, type Root, toPath } from '@midcall/server/roots';
import { duration, type Finding, finding, type RowName } from './checks.ts';

/** The least milliseconds in which somebody reads a question, types a word and sends it. */
const TYPED_MS = 1_000;

type NotAccepted = Exclude<Answer<unknown>, { readonly action: 'accept' }>;

/** Judges the question with the word. */
export function judgeWord(word: string, answer: Answer<unknown>): Finding {
  if (answer.action !== 'accept') return unanswered(answer);
  const { elapsedMs: ms, suspect } = answer.by;
  const typed = own(answer.content, 'word');
  const read = typeof typed === 'string' && typed.trim().toLowerCase() === word;
  if (read && ms >= TYPED_MS) return finding('works', ms, 'The word came back: whoever answered has read the message.');
  if (read)
    return finding(
      'answers-by-itself',
      ms,
      'The word came back faster than anybody types: a program read the message, and answered.',
    );
  if (suspect)
    return finding('answers-by-itself', ms, 'It was accepted without the word, before anybody could have read it.');
  return finding('wrong', ms, 'It was accepted without the word: nothing shows that a person has read it.');
}

/** Judges the form with every kind of field; one finding for each. */
export function judgeFields(
  form: Form<unknown>,
  expected: Readonly<Record<string, unknown>>,
  answer: Answer<unknown>,
): ReadonlyMap<RowName, Finding> {
  const of = (judged: (field: Form<unknown>['fields'][number]) => Finding) =>
    new Map(form.fields.map(field => [`fields.${field.name}` as RowName, judged(field)]));
  if (answer.action !== 'accept') return of(() => unanswered(answer));
  const { elapsedMs: ms } = answer.by;
  if (ms < TYPED_MS) return of(() => finding('answers-by-itself', ms, 'It was filled in faster than anybody types.'));
  return of(field => {
    const value = own(answer.content, field.name);
    const want = expected[field.name];
    const called = `'${labelOf(field)}'`;
    if (value === undefined) return finding('wrong', ms, `Nothing arrived for ${called}.`);
    if (checkValue(field, value))
      return finding('wrong', ms, `${called} arrived as ${kindOf(value)}, which does not fit.`);
    if (same(value, want)) return finding('works', ms, 'It came back exactly as asked.');
    if (field.default !== undefined)
      return finding('wrong', ms, `${called} arrived changed. If you left it alone, the host does not show defaults.`);
    return finding('works', ms, 'It came back with the right type, but not with the value that was asked for.');
  });
}

/** Judges the questions that are to be declined, and to be closed. */
export function judgeRefusal(expected: 'decline' | 'dismiss', answer: Answer<unknown>): Finding {
  const received = answer.action === 'cancel' ? (answer.reason === 'dismissed' ? 'dismiss' : undefined) : answer.action;
  if (received === undefined) return unanswered(answer as NotAccepted);
  const { elapsedMs: ms, suspect } = answer.by;
  if (suspect) return finding('answers-by-itself', ms, `It was ${done[received]} before anybody could have read it.`);
  if (received === expected) return finding('works', ms, `It arrived as ${noun[received]}, as it should.`);
  return finding(
    'wrong',
    ms,
    `It arrived as ${noun[received]}. If you ${told[expected]} it, the host says something else.`,
  );
}

/** Judges the page. @param waitMs - how many milliseconds there were for it */
export function judgePage(answer: Answer<unknown>, waitMs: number): Finding {
  const { elapsedMs: ms, assurance, channel } = answer.by;
  if (answer.action === 'cancel' && answer.reason === 'suspect' && channel === 'page')
    return finding('wrong', ms, 'The page was opened, and the code from the host was not typed there.');
  if (answer.action === 'cancel' && answer.reason === 'unfinished')
    return finding(
      'wrong',
      ms,
      `The host said yes to the link, and nobody finished the page within ${duration(waitMs)}. If you saw no link, it agrees by itself.`,
    );
  if (answer.action !== 'accept') return unanswered(answer);
  const code = assurance === 'out-of-band' ? ' The code that only the host showed was right.' : '';
  return finding('works', ms, `The person agreed to open the link and pressed the button on the page.${code}`);
}

/** Judges a question that should have been accepted and was not. */
export function unanswered(answer: NotAccepted): Finding {
  const { elapsedMs: ms, suspect } = answer.by;
  const outcome = answer.action === 'decline' ? 'decline' : answer.reason;
  switch (outcome) {
    case 'decline':
    case 'dismissed': {
      const how = done[outcome === 'decline' ? 'decline' : 'dismiss'];
      return suspect
        ? finding('answers-by-itself', ms, `It was ${how} before anybody could have read it.`)
        : finding('refused', ms, `It was ${how}. If that was not you, the host did it.`);
    }
    case 'suspect':
      return finding('answers-by-itself', ms, 'It was refused before anybody could have read it.');
    case 'timeout':
    case 'unfinished':
      return finding('dropped', ms, 'No answer came in time. If you saw no question, the host drops it.');
    case 'unavailable':
      return finding('dropped', ms, 'The host declares this, but when asked says that it does not support it.');
    case 'invalid':
      return finding('wrong', ms, 'The answers that came back did not fit the form.');
    case 'error':
      return finding('dropped', ms, 'The host sent an error, or something that is not an answer.');
  }
}

const done = { accept: 'accepted', decline: 'declined', dismiss: 'closed unanswered' } as const;
const noun = { accept: 'an accept', decline: 'a decline', dismiss: 'a dismissal' } as const;
const told = { decline: 'declined', dismiss: 'closed' } as const;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

function same(value: unknown, want: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(want)) return value === want;
  return value.length === want.length && want.every(each => value.includes(each));
}

/** @param announces - true if the client declares that it announces changes */
export function judgeRoots(
  roots: readonly Root[] | undefined,
  ms: number,
  { announces, style }: { readonly announces: boolean; readonly style?: PathStyle },
): Finding {
  if (!roots) return finding('dropped', ms, 'The host declares roots, and gave no list of them.');
  const bad = roots.map(({ uri }) => problemWith(uri, style)).filter(each => each !== undefined);
  if (bad.length > 0)
    return finding('wrong', ms, `${bad.length} of ${counted(roots.length, 'folder')} cannot be used: ${bad[0]}`);
  const later = announces ? 'Changes are announced.' : 'Changes are not announced.';
  return finding(
    'works',
    ms,
    `${roots.length === 0 ? 'An empty list: no folder is granted' : counted(roots.length, 'folder')}. ${later}`,
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
