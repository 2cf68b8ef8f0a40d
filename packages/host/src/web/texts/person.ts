/** The texts of a person's inbox, besides those of the cards in it. Whoever reads them is at another machine than the bridge. */
import { counted } from '@midcall/core/text';
import type { Ending, Question } from '../../index.ts';
import { texts } from './texts.ts';

/** How a question of an inbox ended; `in-doubt` if nobody knows whether an answer reached its server. */
type PersonEnding = Ending | { readonly how: 'in-doubt' };

/** The desk's words say nothing of where an answer was given if that was on its own pages; here, these are the inbox's. */
const seenFromHere = (via: string): string => (via === 'inbox' ? 'web' : via);

/** What of a question decides the words for what follows from answers to it. */
interface ApprovalNature {
  /** True for a form with fields, to which people agree by giving the same answer. */
  readonly isSame: boolean;
  /** True for a call that rules ask about: nothing of it has reached its server. */
  readonly isCall: boolean;
}

const notMade = 'The call was not made.';

export const personTexts = {
  place: 'inbox',
  title: 'Inbox',
  nav: { label: 'Pages', open: 'Inbox', past: 'Past', passkeys: 'Passkeys' },
  signedInAs: (name: string) => `Signed in as ${name}`,
  utc: 'Times are in UTC. With scripts on, they are in your own time zone.',
  open: {
    count: (count: number) => (count === 0 ? 'Nothing is waiting' : `${counted(count, 'question')} waiting`),
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
  approval: {
    heads: {
      requester: 'Requested by',
      asked: 'Who decides',
      votes: 'So far',
      next: 'What follows',
      passkey: 'Passkey',
    },
    nobodyKnows: 'Nobody knows whose call this is.',
    yours: 'You alone: it is your call.',
    agree: 'Agree',
    chip: (group: string, count: number) => (count === 1 ? `One of ${group}` : `${count} of ${group}`),
    needed: (group: string, count: number, isSame: boolean) =>
      count === 1
        ? `One person of ${group} decides.`
        : `${count} people of ${group} have to ${isSame ? 'give the same answer' : 'agree'}.`,
    noVotes: 'Nobody has answered.',
    voted: (name: string, action: 'accept' | 'decline', isSame: boolean) =>
      `${name} ${action === 'decline' ? 'declined' : isSame ? 'answered' : 'agreed'}`,
    you: 'You',
    byPasskey: 'with a passkey',
    /** @param left - how many more are needed after the reader */
    next(group: string, count: number, left: number, { isSame, isCall }: ApprovalNature): string {
      const [yes, no] = isCall
        ? ['the call is made', 'the call is not made']
        : ['the call goes on', 'the server is told no'];
      if (count === 1)
        return `If you ${isSame ? 'answer' : 'agree'}, ${yes}. If you decline, others of ${group} can still decide; once nobody is left, ${no}.`;
      const refused = `If you decline, and too few others are left to ${isSame ? 'give the same answer' : 'agree'}, ${no}.`;
      if (isSame) return `The call goes on once ${count} people have given the same answer. ${refused}`;
      if (left <= 0) return `If you agree, ${yes}. ${refused}`;
      return `If you agree, ${left} more of ${group} ${left === 1 ? 'has' : 'have'} to agree as well. ${refused}`;
    },
    passkey:
      'Your answer counts only if you confirm it with your passkey: your device asks for your fingerprint, face or PIN.',
    waysOut: (isCall: boolean) =>
      `${isCall ? 'A yes is for these arguments alone, and for one call. ' : ''}Decline says no for your part. To leave it to others, leave this page.`,
    details: 'What the answer is about',
    noRows: 'The table has no rows.',
    arguments: { form: 'What the call was made with', call: 'What the call would be made with' },
    given: {
      accept: 'You agreed.',
      answered: 'You answered.',
      decline: 'You declined.',
      none: 'You did not answer.',
      decided: 'It was decided before you answered.',
    },
    /** How it stands, for somebody who has answered. */
    waits: (group: string, count: number, left: number, { isSame }: ApprovalNature, until: string) =>
      isSame || left <= 0
        ? `The call goes on once ${count} people of ${group} have given the same answer. It waits until ${until}.`
        : `${left} more of ${group} ${left === 1 ? 'has' : 'have'} to agree. It waits until ${until}.`,
    declinedWaits: (group: string, until: string) => `Others of ${group} can still decide. It waits until ${until}.`,
    outcome: {
      accepted: (group: string, count: number, { isSame, isCall }: ApprovalNature) => {
        const who =
          count === 1
            ? `One of ${group} decided`
            : `${count} of ${group} ${isSame ? 'gave the same answer' : 'agreed'}`;
        return `${who}, so ${isCall ? 'the call may be made' : 'the server may go on'}.`;
      },
      declined: (_: string, __: number, { isCall }: ApprovalNature) =>
        `It was declined. ${isCall ? notMade : 'The server was told no.'}`,
      unreachable: (_: string, count: number, { isSame, isCall }: ApprovalNature) =>
        `Too few were left for ${count} to ${isSame ? 'give the same answer' : 'agree'}. ${isCall ? notMade : 'The server was told no.'}`,
      'timed-out': (_: string, count: number, { isSame, isCall }: ApprovalNature) =>
        `The time ran out before ${count === 1 ? 'anybody had answered' : isSame ? `${count} people had given the same answer` : `${count} people had agreed`}. ${isCall ? notMade : 'The server was told that nobody answered.'}`,
      dismissed: (_: string, __: number, { isCall }: ApprovalNature) =>
        `It was closed without an answer.${isCall ? ` ${notMade}` : ''}`,
      withdrawn: (_: string, __: number, { isCall }: ApprovalNature) =>
        isCall ? `It is no longer waiting for an answer. ${notMade}` : 'The server no longer needs it.',
    },
    /** In short, in a list; `own` is the person's own part. */
    standing: {
      waits: 'Waits',
      accepted: 'Agreed',
      declined: 'Refused',
      unreachable: 'Refused',
      'timed-out': 'Timed out',
      dismissed: 'Closed',
      withdrawn: 'Withdrawn',
    },
    own: { accept: 'you agreed', answered: 'you answered', decline: 'you declined', none: 'without you' },
  },
  passkeys: {
    title: 'Passkeys',
    lead: 'Some questions need more than being signed in: you confirm your answer with a passkey, which asks for your fingerprint, face or PIN. Add one on each device on which you answer, so that you have another if you lose one.',
    heads: ['Name', 'Added', 'Last used', 'Action'],
    none: 'You have no passkey yet.',
    never: 'never',
    remove: 'Remove',
    removeNamed: (name: string) => `Remove the passkey “${name}”`,
    removeHelp: 'Remove a passkey whose device you no longer have. It confirms nothing from that moment on.',
    addTitle: 'Add a passkey',
    name: 'Name',
    nameHelp: 'By which you recognise the device, such as “Work laptop”.',
    add: 'Add a passkey',
    invited: 'You were invited to add a passkey. The invitation can be used once.',
    confirms: 'Your browser first asks for a passkey that you have, and then for the new one.',
    stale: 'You signed in more than five minutes ago. Sign in again to add a passkey.',
    staleToo: 'If you have none of your passkeys at hand, sign in again to add or remove one.',
    staleInvited:
      'If you have none of your passkeys at hand, sign in again to remove one, and ask an administrator for an invitation to add one.',
    uninvited:
      'To add your first passkey here, you need an invitation. Ask an administrator of this inbox for one, and open its link in this browser.',
    signInAgain: 'Sign in again',
    impossible: (origin: string) =>
      `Browsers have passkeys only at an https:// address with a host name, not an IP address. This inbox is at ${origin}. Whoever runs it can change that: --public-url https://…`,
    noScript: 'Passkeys need JavaScript, which is off or did not load.',
    backTo: 'Back to the question',
    script: {
      waiting: 'Waiting for your passkey. Follow what your browser asks.',
      cancelled: 'Nothing was sent, because no passkey confirmed it. Try again.',
      unable: 'Nothing was sent: this browser has no passkeys. Use another browser or device.',
      had: 'Nothing was added: this device already has a passkey of yours here.',
    },
    problem: {
      impossible: 'Nothing was changed: this inbox cannot have passkeys at its address.',
      none: 'Your answer was not sent: it needs a passkey, and you have none.',
      late: 'Nothing was changed, because it took longer than two minutes. Try again.',
      refused:
        'Nothing was changed: this was not confirmed by one of your passkeys, or the question has changed since. Look at it again, and try once more.',
      'sign-in': 'Nothing was changed: this needs one of your passkeys, or a sign-in less than five minutes ago.',
      invitation: 'Nothing was changed: this needs an invitation, or one of your passkeys.',
      'not-invited':
        'Nothing was added: this invitation is for somebody else, was used before, or is more than a day old. Ask for a new one.',
    },
    unconfirmed: 'Your answer was not sent: it has to be confirmed with your passkey, which needs JavaScript.',
    needed: 'This question has to be answered with a passkey, and you have none here.',
    neededOnly: 'This question has to be answered with a passkey.',
    toAdd: 'Add a passkey',
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
  notifications: {
    title: 'Notifications',
    lead: 'When a question waits for you and you do not have this inbox open, your devices can tell you. The notification says nothing of the question: to see it, you open the inbox and are signed in.',
    device: (browser: string | undefined, system: string | undefined) =>
      browser && system ? `${browser} on ${system}` : (browser ?? system ?? 'A device'),
    here: 'this device',
    since: 'On since',
    told: 'last notified',
    failed: 'Could not be notified',
    on: 'Turn on for this device',
    off: 'Turn off',
    test: 'Send a test',
    isOn: ['Notifications are on for this device.'],
    isOff: ['Notifications are off on this device.'],
    blocked: [
      'Notifications are blocked on this device.',
      'Allow them for this site in the settings of your browser, and come back.',
    ],
    homeScreen: [
      'On iPhones and iPads, notifications need the installed app.',
      'Tap Share, then “Add to Home Screen”. Open the inbox from there, sign in, and turn them on here.',
    ],
    unsupported: ['This browser cannot show notifications of an app. Open the inbox in another one.'],
    needsScript: 'Turning notifications on needs JavaScript, which is off in this browser.',
    notSubscribed: 'The browser could not turn notifications on. It may be offline, or have no push service.',
    noAddress: [
      'Notifications and the app need an address that begins with https://, and this inbox has none.',
      'Whoever runs it can start it with --public-url https://… Until then, leave this inbox open in a tab.',
    ],
    devices: 'Your devices',
    turnedOn: 'Notifications are on. Send a test to see one.',
    turnedOff: 'Notifications are off on that device.',
    notTurnedOn: (why: string) => `Notifications were not turned on. ${why}`,
    tested:
      'A test is on its way. If nothing appears within a minute, look at the notification settings of that device.',
    notTested: (why: string) => `The push service of that device was not told. ${why}`,
  },
  installed: 'What servers ask you, and your answers.',
  offline: {
    title: 'Your inbox cannot be reached',
    lines: [
      'This device is offline, or the inbox cannot be reached. Nothing of your questions is stored on this device.',
      'This page opens the inbox as soon as it answers.',
    ],
  },
  refused: { title: 'Refused', lines: ['This request did not come from a page of your inbox, so nothing was done.'] },
  missing: { title: 'Not found', lines: ['There is nothing here.'] },
  tooLarge: {
    title: 'Too much',
    lines: [
      'What you sent is too large, so nothing was done. Use the Back button of your browser, and shorten your answer.',
    ],
  },
  broken: {
    title: 'Something went wrong',
    looked: 'The inbox could not make this page. Try again in a moment.',
    sent: 'The inbox could not make this page. What you sent may have been received: look before you send it again.',
    toQuestion: 'Look at the question again',
  },
  back: 'Back to the inbox',
};
