/** What is said of a call that waits for an inbox: to its model, in its progress, and in its task. Pure. */

import type { Vote } from '@midcall/core/form';
import { visible } from '@midcall/core/text';
import { minuteInUtc } from '@midcall/core/time';
import type { ApprovalAsk } from '../../request/index.ts';
import type { WaitingWords } from '../outgoing.ts';
import { quoted } from '../quoted.ts';

type Question = Pick<ApprovalAsk, 'from' | 'askedAt'>;

/** Who is waited for, since when, and what they have done so far. The time is UTC: nobody knows where this is read, or when. */
export function standingText({ from, askedAt }: Question, votes: readonly Pick<Vote, 'action'>[]): string {
  const since = `since ${minuteInUtc(askedAt)}`;
  if (from === 'requester') return `Waiting for the requester, who answers with a passkey, ${since}.`;
  const accepted = votes.filter(({ action }) => action === 'accept').length;
  const refused = votes.length - accepted;
  const parts = [
    ...(accepted > 0
      ? [`${accepted} ${have(accepted)} answered${accepted < from.count ? '' : ', but not the same'}`]
      : []),
    ...(refused > 0 ? [`${refused} ${have(refused)} refused`] : []),
  ];
  const soFar = parts.length > 0 ? parts.join('; ') : 'nobody has answered yet';
  return `Waiting for ${from.count} of '${visible(from.group)}' ${since}: ${soFar}.`;
}

const have = (count: number): string => (count === 1 ? 'has' : 'have');

/** @param standing - from {@link standingText} */
export function waitingWords(
  { from, url }: Question & { readonly url: string },
  message: string,
  standing: string,
): WaitingWords {
  const who =
    from === 'requester'
      ? 'the person, who answers in their inbox with a passkey'
      : from.count === 1
        ? `one of '${visible(from.group)}', who answers in an inbox of their own`
        : `${from.count} of '${visible(from.group)}', who answer in inboxes of their own`;
  const how =
    from === 'requester'
      ? 'Show the person these words and the address exactly as it is, and wait. Do not open the address yourself:'
      : 'Tell the person this, with the address exactly as it is, so that they can ask those people to answer. Do not open the address yourself:';
  return {
    who: `This call is waiting for ${who}, and not through you.`,
    passOn: { how, lines: [...quoted(message), `> ${standing}`, `> ${url}`] },
    reached: '',
    when: from === 'requester' ? 'When they say that they are done' : 'When the person says that it was answered',
    open: 'It can be answered',
    unfinished: 'It was not answered in time.',
  };
}
