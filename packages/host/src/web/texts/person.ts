/** The texts of a person's inbox, besides those of the cards in it. Whoever reads them is at another machine than the bridge. */
import type { Ending, Question } from '../../index.ts';
import { plural } from './plural.ts';
import { texts } from './texts.ts';

/** How a question of an inbox ended; `in-doubt` if nobody knows whether an answer reached its server. */
type PersonEnding = Ending | { readonly how: 'in-doubt' };

/** The desk's words say nothing of where an answer was given if that was on its own pages; here, these are the inbox's. */
const seenFromHere = (via: string): string => (via === 'inbox' ? 'web' : via);

export const personTexts = {
  place: 'inbox',
  title: 'Inbox',
  nav: { label: 'Pages', open: 'Inbox', past: 'Past questions' },
  signedInAs: (name: string) => `Signed in as ${name}`,
  utc: 'Times are in UTC. With scripts on, they are in your own time zone.',
  open: {
    count: (count: number) => (count === 0 ? 'Nothing waits' : `${plural(count, 'question')} waiting`),
    empty: 'Nothing is waiting for you.',
    emptyLead: [
      'When a tool that runs for you needs an answer, its question appears here: a form to fill in, a page to open, or a call that needs your yes.',
      'Leave this page open, or come back when your host tells you that something waits. Nothing happens until you answer.',
    ],
    toPast: 'What you were asked before',
    sent: 'Answer on its way',
    hostLeft: (host: string) => `${host} has stopped waiting`,
  },
  past: {
    title: 'Past questions',
    lead: 'What you were asked, and how it ended. Secrets in your answers are masked. Each question is deleted 30 days after its end.',
    none: 'You have not been asked anything yet.',
    heads: ['Ended', 'Server', 'Call', 'Question', 'Outcome'],
    newer: 'Newer',
    older: 'Older',
    here: 'here',
    elsewhere: (via: string) => (via === 'policy' || via === 'decision' ? 'by a decision' : `in the ${via}`),
  },
  question: {
    program: 'A program on the machine of the bridge',
    missing: 'There is no such question. Questions are deleted 30 days after their end.',
    sentTitle: 'Your answer is on its way.',
    sentLead:
      'The bridge that asked has not confirmed it yet. You need not do anything: this page says how it ended as soon as that is known.',
    alreadyEnded: (how: string) => `Your answer was not sent, because this question had already ended. ${how}`,
  },
  ending: {
    chip: {
      ...texts.ending.chip,
      'refused-by-policy': 'Refused',
      unshown: 'Ended',
      'in-doubt': 'In doubt',
    } satisfies Record<PersonEnding['how'], string>,
    sentence(ending: PersonEnding, kind: Question['kind']): string {
      switch (ending.how) {
        case 'in-doubt':
          return kind === 'call'
            ? 'You answered, and the bridge stopped before it confirmed that. Nobody knows whether the call was made, and it is not made again by itself.'
            : 'You answered, and the bridge stopped before it confirmed that. Nobody knows whether the server got your answer, and it is not sent again.';
        case 'unshown':
          return kind === 'call'
            ? 'The bridge stopped, so nobody waits for an answer. The call was not made.'
            : 'The bridge stopped, so nobody waits for an answer. The server was told that nobody answered.';
        case 'refused-by-policy':
          return `It was refused in your place. ${ending.decision}`;
        default:
          return texts.ending.sentence('via' in ending ? { ...ending, via: seenFromHere(ending.via) } : ending, kind);
      }
    },
    unsent: 'You typed this, and it was not sent. Copy what you need: it is gone when you leave this page.',
    isFilledInByScript: true,
  },
  signOut: {
    link: 'Sign out',
    title: 'Sign out',
    lead: 'Open questions keep waiting for you. You find them here when you sign in again.',
    here: 'Sign out of this browser',
    everywhere: 'Sign out everywhere',
    everywhereLead: 'Ends your sessions in all browsers, such as one on a device that you no longer have.',
    stay: 'Stay signed in',
  },
  gone: {
    title: 'The inbox cannot be reached.',
    notSent: 'This was not sent.',
    unknown: 'The inbox may not have received this.',
    todo: 'What you typed stays on this page. This message disappears when the inbox answers again; then send it once more.',
  },
  signedOut: {
    title: 'You are signed out.',
    lines: [
      'This was not sent. What you typed stays on this page until you leave it: copy what you need, and sign in again.',
    ],
    again: 'Sign in',
  },
  refused: { title: 'Refused', lines: ['This request did not come from a page of your inbox, so nothing was done.'] },
  missing: { title: 'Not found', lines: ['There is nothing here.'] },
  tooLarge: {
    title: 'Too much',
    lines: ['What you sent is too large, so nothing was done. Go back and shorten your answer.'],
  },
  broken: { title: 'Something went wrong', lines: ['The inbox could not make this page. Try again in a moment.'] },
  back: 'Back to the inbox',
};
