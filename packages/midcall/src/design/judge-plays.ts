/**
 * Problems of a tool, judged by its calls: each on its own, and each compared with the accepted one. The server is a black box:
 * effects cannot be seen, so equal results that should differ are called suspected, and mere wording possible. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { capitalized, visible } from '@midcall/core/text';
import type { Breach } from './lint-finding.ts';
import { asksForm, fieldsOf, type LintAsk, type PlayName } from './lint-play.ts';
import type { PlayTrace } from './lint-session.ts';
import { sameCourse, succeeded, tellsDeed, tellsRefusal, wordsOf } from './same-course.ts';

const quoted = (text: string): string => `"${visible(text.replace(/\s+/g, ' ').trim(), { max: 100 })}"`;

const did: Readonly<Record<PlayName, string>> = {
  accept: 'accepting',
  decline: 'declining',
  dismiss: 'dismissing',
  unconfirmed: 'sending the form back with its confirmation at no',
  bare: 'accepting without content',
  'no-capability': 'a call from a client without elicitation',
  'form-only': 'a call from a client with forms only',
};

const notTaken: Partial<Record<PlayName, Breach['rule']>> = {
  decline: 'decline-accepted',
  dismiss: 'dismiss-accepted',
  unconfirmed: 'unconfirmed-acted',
  bare: 'unchecked-answer',
  'no-capability': 'fails-open',
  'form-only': 'fails-open',
};

/** Judges one call on its own. */
export function judgeTrace(trace: PlayTrace): readonly Breach[] {
  const { play, asks, end } = trace;
  const breaches: Breach[] = [];
  if (end.kind === 'silent' && asks.length > 0 && play.name !== 'accept')
    breaches.push({ rule: 'hangs', message: `After ${did[play.name]}, no result came.` });
  if (end.kind === 'gone')
    breaches.push({
      rule: 'crashes',
      message: `After ${asks.length > 0 ? did[play.name] : 'the call'}, the server went away.`,
    });
  breaches.push(...askedAgain(trace));
  const words = wordsOf(end);
  if (
    asks.length > 0 &&
    /of (undefined|null) \(reading|(undefined|null) is not an object|Cannot destructure/.test(words)
  )
    breaches.push({
      rule: 'reads-absent-answer',
      message: `After ${did[play.name]}, the result is a crash: ${quoted(words)}.`,
    });
  return breaches;
}

function askedAgain({ play, asks, end }: PlayTrace): readonly Breach[] {
  const breaches: Breach[] = [];
  const no = asks.findIndex(ask => ask.reply['action'] === 'decline');
  const later = no < 0 ? [] : asks.slice(no + 1);
  const same = later.filter(ask => isDeepStrictEqual(essence(ask), essence(asks[no]!)));
  if (same.length > 0)
    breaches.push({
      rule: 'asked-again',
      message: `Declined, the same question came ${same.length} more time(s) in the call.`,
    });
  const closed = asks.filter(ask => ask.reply['action'] === 'cancel');
  const again = closed.filter(ask => isDeepStrictEqual(essence(ask), essence(closed[0]!)));
  if (play.name === 'dismiss' && again.length > 2)
    breaches.push({
      rule: 'asked-again',
      message: `Dismissed, the same question came ${again.length - 1} more times.`,
    });
  if (play.name === 'accept' && (end.kind === 'endless' || asks.length > 5))
    breaches.push({
      rule: 'asks-in-loop',
      message: `One call asked ${asks.length}${end.kind === 'endless' ? ' times and did not stop' : ' times'}.`,
    });
  return breaches;
}

const essence = ({ params }: LintAsk): unknown => [
  params['message'],
  params['requestedSchema'],
  params['mode'] ?? 'form',
];

/**
 * Compares a call with the one in which everything was accepted.
 * @param declined - the one in which everything was declined: if accepting failed, a call that fails in the same way, and not
 *   as a decline does, was let through
 * @returns what differs too little, or undefined if the two cannot be compared
 */
export function judgeAgainstAccept(
  trace: PlayTrace,
  accepted: PlayTrace,
  declined: PlayTrace,
): readonly Breach[] | undefined {
  const { play, asks, end } = trace;
  const rule = notTaken[play.name];
  const lacking = play.name === 'no-capability' || play.name === 'form-only';
  if (!rule || (asks.length === 0 && !lacking)) return [];
  if (accepted.asks.length === 0) return undefined;
  const [words, acceptedWords] = [wordsOf(end), wordsOf(accepted.end)];
  const same = sameCourse(trace, accepted);
  if (!succeeded(accepted.end) || (tellsRefusal(acceptedWords) && !tellsDeed(acceptedWords))) {
    if (sameCourse(declined, accepted)) return same ? undefined : [];
    if (!same) return [];
    // A server that shows a form again has checked the answer, even if it accepts no made-up content.
    if (play.name === 'bare' && putsAgain(trace) && putsAgain(accepted)) return undefined;
    const message = `${did[play.name]} leads to the same result as accepting: ${quoted(words)}.`;
    return [{ rule, message: capitalized(message), certainty: 'suspected' }];
  }
  if (!succeeded(end)) return [];
  if (same) {
    const message = `After ${did[play.name]} the result says the same as after accepting: ${quoted(words)}.`;
    return [{ rule, message, certainty: 'suspected' }];
  }
  if (tellsDeed(words)) {
    const message = `After ${did[play.name]} the result reads as if it was done: ${quoted(words)}.`;
    return [{ rule, message, certainty: 'possible' }];
  }
  return [];
}

/** True if a form was sent again right after its answer, possibly with a reason. */
const putsAgain = ({ asks }: PlayTrace): boolean =>
  asks.some((ask, index) => {
    const before = asks[index - 1];
    return (
      before !== undefined &&
      String(ask.params['message']).startsWith(String(before.params['message'])) &&
      isDeepStrictEqual(fieldNames(ask), fieldNames(before))
    );
  });

const fieldNames = ({ params }: LintAsk): readonly string[] => fieldsOf(params).map(({ name }) => name);

/**
 * Judges a call that asked nothing, in an era in which the same tool could have asked.
 * @param accepted - the call of the other era in which everything was accepted
 */
export function judgeUnasked(trace: PlayTrace, accepted: PlayTrace): readonly Breach[] {
  const words = wordsOf(trace.end);
  const didNotAsk = `It asked nothing, though the client can be asked, and it asks on ${accepted.era}.`;
  if (sameCourse(trace, accepted)) {
    const message = `${didNotAsk} Its result is the same as after accepting there: ${quoted(words)}.`;
    return [{ rule: 'unasked-in-era', message, certainty: 'suspected' }];
  }
  return [{ rule: 'unasked-in-era', message: `${didNotAsk} It answered: ${quoted(words)}.`, certainty: 'possible' }];
}

/** True if accepting without content violates a form of this call. */
export const requiresContent = (asks: readonly LintAsk[]): boolean =>
  asks.some(ask => asksForm(ask) && fieldsOf(ask.params).some(field => field.required));

/** True if content that only an accept has was read, and shows up in a result without one. */
export function readsAbsent(trace: PlayTrace, accepted: PlayTrace): readonly Breach[] {
  const { play, asks, end } = trace;
  if (asks.length === 0 || play.name === 'accept' || play.name === 'unconfirmed') return [];
  const words = wordsOf(end);
  if (!/\bundefined\b/.test(words) || /\bundefined\b/.test(wordsOf(accepted.end))) return [];
  const message = `After ${did[play.name]} the result says "undefined" where an answer would stand: ${quoted(words)}.`;
  return [{ rule: 'reads-absent-answer', message, certainty: 'suspected' }];
}
