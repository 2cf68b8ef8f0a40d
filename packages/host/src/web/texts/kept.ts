/**
 * The words for a form that was sent, while that takes its time and where the form stays. They are apart from the other texts, which
 * cards bring along.
 */

/** Why a form stays, or what became of one that was on another page; `gone`: nobody answers. */
export type Kept = 'gone' | 'notSent' | 'failed' | 'signedOut' | 'ended' | 'refused' | 'tooLarge' | 'elsewhere';

interface KeptTexts {
  readonly why: Readonly<Record<Kept, { readonly title: string; readonly line: string }>>;
  /** The link to where one signs in. */
  readonly again: string;
  readonly tooLarge?: { readonly title: string; readonly line: string };
}

export const keptTexts = {
  sending: 'Sending…',
  opening: 'Opening…',
  close: 'Close',
  goBack: 'Go back to that page',
  typed: 'What you typed there:',
  /** Why an answer to a question was not sent, if the person has answered it before. */
  answeredBefore: (how: string) => `Your earlier answer was received; this one was not. ${how}`,
  desk: {
    why: {
      gone: {
        title: 'The desk has stopped or is not responding.',
        line: 'What you typed stays on this page. Copy what you need, start the desk again in its terminal, and open the link it prints. If it runs again, reload this page.',
      },
      notSent: { title: 'This was not sent.', line: 'Send it when the desk answers again.' },
      failed: {
        title: 'The desk may not have received this.',
        line: 'Something went wrong before the desk answered. What you typed stays on this page. Look under History or on another page whether it was done; if it was not, send it again.',
      },
      signedOut: {
        title: 'The desk no longer knows this page.',
        line: 'It was probably started again. This was not sent. What you typed stays on this page until you leave it: copy what you need, open the desk in another tab, and enter it there.',
      },
      ended: {
        title: 'The desk no longer knows this page.',
        line: 'It was probably started again. What you typed stays on this page until you leave it: copy what you need, and open the desk in another tab.',
      },
      refused: {
        title: 'The desk refused this, so nothing was done.',
        line: 'What you typed stays on this page: copy what you need, reload the page, and send it again.',
      },
      tooLarge: {
        title: 'This is too large, so nothing was done.',
        line: 'What you typed stays on this page: shorten it, and send it again.',
      },
      elsewhere: {
        title: 'What you sent from another page may not have been received.',
        line: 'Go back to that page to see whether it was, and send it again if it was not.',
      },
    },
    again: 'Open the desk',
    /** In place of the form, where there is no client script. */
    tooLarge: {
      title: 'This is too large, so nothing was done.',
      line: 'Use the Back button of your browser, and shorten what you sent.',
    },
  } satisfies KeptTexts,
  inbox: {
    why: {
      gone: {
        title: 'The inbox cannot be reached.',
        line: 'What you typed stays on this page. This message disappears when the inbox answers again.',
      },
      notSent: { title: 'This was not sent.', line: 'Send it when the inbox answers again.' },
      failed: {
        title: 'The inbox may not have received this.',
        line: 'Something went wrong on the way. What you typed stays on this page: wait a moment, and send it again. If it was received the first time, this page will say so.',
      },
      signedOut: {
        title: 'You are signed out.',
        line: 'This was not sent. What you typed stays on this page until you leave it: copy what you need, and sign in again.',
      },
      ended: {
        title: 'You are signed out.',
        line: 'What you typed stays on this page until you leave it: copy what you need, and sign in again.',
      },
      refused: {
        title: 'This was refused, so it was not sent.',
        line: 'What you typed stays on this page: copy what you need, reload the page, and send it again. If that does not help, tell whoever runs this inbox.',
      },
      tooLarge: {
        title: 'This is too large, so it was not sent.',
        line: 'What you typed stays on this page: shorten it, and send it again.',
      },
      elsewhere: {
        title: 'What you sent from another page may not have been received.',
        line: 'Go back to that page to see whether it was, and send it again if it was not.',
      },
    },
    again: 'Sign in',
  } satisfies KeptTexts,
};
