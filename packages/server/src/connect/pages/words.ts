/** The texts of pages that have nothing to fill in. */

interface Says {
  readonly title: string;
  readonly lines: readonly string[];
  readonly status: number;
}

/** What came before this page is done. */
const startAgain = 'If it is still needed, ask your assistant what is done already, and to start again.';

/** What a browser asks at the reload of a page that is the answer to a form. */
const agree = 'If your browser asks whether to send the form again, agree.';

/** A problem of a form that was not sent by the button for it. */
export const notPressed = 'Nothing was sent yet. Check your answers and press the button that sends them.';

export const words = {
  unknown: {
    title: 'This link is not known',
    lines: [
      'It may be incomplete or very old, or the server was started again and has forgotten it. Nothing was sent now.',
      startAgain,
    ],
    status: 404,
  },
  expired: { title: 'This link has expired', lines: ['Nothing was sent.', startAgain], status: 410 },
  used: {
    title: 'This is done',
    lines: ['You can close this page and go back to your assistant. The link does not work a second time.'],
    status: 200,
  },
  underWay: {
    title: 'This was sent',
    lines: [
      'It is being finished, or was interrupted before it was: what became of it is not known yet.',
      'It is not sent again. This page looks again every few seconds. If it has not changed in a minute, go back to your assistant.',
      startAgain,
    ],
    status: 202,
  },
  declined: {
    title: 'You declined',
    lines: ['Nothing was sent. You can close this page and go back to your assistant.'],
    status: 200,
  },
  withdrawn: {
    title: 'This is no longer needed',
    lines: [
      'The question was answered elsewhere or taken back. Nothing was sent from here.',
      'You can close this page and go back to your assistant.',
    ],
    status: 410,
  },
  locked: {
    title: 'Too many wrong codes',
    lines: ['This link no longer works. Nothing was sent.', startAgain],
    status: 403,
  },
  failed: {
    title: 'This could not be finished',
    lines: ['Your answer arrived, but acting on it failed. Do not assume that anything was done.', startAgain],
    status: 500,
  },
  /** A form, before the turn was taken. */
  broken: {
    title: 'Something went wrong here',
    lines: [
      'Nothing was done with what you entered, and the link still works.',
      `Reload this page to try again. ${agree}`,
      'If this page comes back, tell whoever runs this server.',
    ],
    status: 500,
  },
  brokenLook: {
    title: 'Something went wrong here',
    lines: [
      'This page could not be shown. What you sent before is kept if it arrived, and the link still works.',
      'Reload this page to try again. If that does not help, tell whoever runs this server.',
    ],
    status: 500,
  },
  away: {
    title: 'This cannot be done right now',
    lines: [
      'The server cannot reach the place where it keeps its pages. Nothing was done with what you entered.',
      `Reload this page in a moment to try again. ${agree}`,
    ],
    status: 503,
  },
  awayLook: {
    title: 'This page cannot be shown right now',
    lines: [
      'The server cannot reach the place where it keeps its pages. What you sent before is kept if it arrived.',
      'Reload this page in a moment.',
    ],
    status: 503,
  },
  otherPerson: {
    title: 'This link was made for somebody else',
    lines: [
      'You are not signed in as the person who was asked. Nothing was sent, and the link still works for them.',
      'If you were sent this link, close this page: whoever sent it may want you to act for them.',
      'If it is yours, sign in as the person who was asked.',
    ],
    status: 403,
  },
  noSignIn: {
    title: 'Nobody can sign in here',
    lines: [
      'This server has no way to find out who you are, so this page cannot be used. Nothing was sent.',
      'Tell whoever runs this server, and go back to your assistant.',
    ],
    status: 503,
  },
  signedOut: {
    title: 'You were signed out',
    lines: [
      'You were signed out before this arrived. Nothing was sent.',
      'Sign in in a new tab. Then come back to this one and reload it: that sends your answer.',
    ],
    status: 403,
  },
  notYet: {
    title: 'Enter your code first',
    lines: ['Nothing was done yet. Open the link again and type the code your assistant shows.'],
    status: 403,
  },
  noCookie: (host: string) => ({
    title: 'This page needs cookies',
    lines: [
      'Nothing was sent: the cookie that this page gave your browser did not come back.',
      `Allow cookies for ${host}, or use another browser or a window that is not private. Then open the link again.`,
    ],
    status: 403,
  }),
  forged: {
    title: 'This form was not accepted',
    lines: [
      'Nothing was sent: the form did not come from the page that was opened last in this browser.',
      'Go back in your browser and send it again from there. If that does not help, open the link again.',
    ],
    status: 403,
  },
  tooLarge: {
    title: 'This is too large',
    lines: [
      'What was sent is larger than this page accepts. Nothing was done with it, and the link still works.',
      'Go back in your browser, shorten what you entered, and send it again. About 100,000 characters in all are accepted.',
    ],
    status: 413,
  },
  notHere: { title: 'There is nothing here', lines: ['Open the link your assistant showed.'], status: 404 },
} satisfies Record<string, Says | ((host: string) => Says)>;
