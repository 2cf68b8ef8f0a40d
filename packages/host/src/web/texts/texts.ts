/** Every English text of the desk, in one place: plain, short, calm. */
import { counted } from '@midcall/core/text';
import type { Ending, GrantChoice, GrantEnd, HostEvent, Question } from '../../index.ts';
import { addTexts } from './add.ts';
import { callTexts } from './call.ts';
import { fieldTexts } from './field.ts';
import { serverTexts } from './server.ts';
import { settingTexts } from './settings.ts';
import { taskTexts } from './task.ts';

/** The kinds of question, where two of them have words of their own for a part of their questions. */
type QuestionWording = Question['kind'] | 'own-reply' | 'sign-in-more';

/** Through which view a person answered. */
const through = (via: string) => (via === 'web' ? '' : ` in the ${via}`);

export const texts = {
  ...settingTexts,
  ...serverTexts,
  ...callTexts,
  ...addTexts,
  ...taskTexts,
  product: 'Midcall',
  desk: 'desk',
  skip: 'Skip to the content',
  nav: {
    label: 'Pages',
    home: 'Home',
    history: 'History',
    tasks: 'Tasks',
    roots: 'Roots',
    models: 'Models',
    policy: 'Policy',
    audit: 'Audit log',
  },
  home: {
    title: 'Home',
    noServers: 'No servers yet. Add one, and run its tools from here.',
    calls: 'Calls',
    allCalls: 'All calls',
    noCalls: 'No calls yet. Choose a tool, and run it.',
    tries: 'Try it',
    tryLead: 'Each is one call of a tool, with its arguments filled in. The server asks you before it goes on.',
    run: 'Run',
    runTry: (title: string) => `Run: ${title}`,
  },
  find: {
    title: 'Find',
    label: 'Find a server or tool',
    anything: 'Find a tool, a server, a page, an action or an open question',
    go: 'Find',
    nothing: 'Nothing matches.',
    more: (count: number) => `and ${count} more. Type more to narrow the list.`,
    actions: {
      theme: { system: 'Colours of the system', light: 'Light colours', dark: 'Dark colours' },
      mute: (server: string) => `Mute ${server}`,
      unmute: (server: string) => `Unmute ${server}`,
      start: (server: string) => `Start ${server}`,
      stop: (server: string) => `Stop ${server}`,
      drawer: { open: 'Show messages and logs', close: 'Hide messages and logs' },
    },
    kinds: {
      question: 'open question',
      page: 'page',
      action: 'action',
      server: 'server',
      prompt: 'prompt',
      resource: 'resource',
    },
  },
  keys: {
    title: 'Keyboard shortcuts',
    palette: 'Ctrl K',
    choose: 'choose',
    go: 'go there',
    leave: 'close',
    close: 'Close',
    single: 'Use shortcuts that are a single key',
    all: [
      [['Ctrl K', '⌘ K'], 'Find anything'],
      [['/'], 'Find a server or tool'],
      [['n'], 'Next open question'],
      [['p'], 'Previous open question'],
      [['Ctrl Enter', '⌘ Enter'], 'Send the answer, or run the tool'],
      [['Esc'], 'Dismiss the question'],
      [['?'], 'Show these shortcuts'],
    ] as readonly (readonly [keys: readonly string[], does: string])[],
  },
  template: {
    title: 'Templates',
    save: 'Save these arguments as a template',
    name: 'Name of the template',
    help: 'It fills in the form of this tool when you choose it. Secrets are left out.',
    go: 'Save the template',
    remove: (name: string) => `Remove the template ${name}`,
  },
  favourite: { title: 'Favourites', add: 'Add to favourites', remove: 'Remove from favourites' },
  inbox: {
    title: 'Waiting for you',
    count: (count: number) => (count === 0 ? 'No questions' : counted(count, 'question')),
    empty: 'Nothing is waiting for you.',
    emptyLead: 'Nothing. When a tool needs you, its question appears here, and nothing happens until you answer.',
    oldest: 'oldest',
    more: (count: number) => `and ${count} more`,
    previous: 'Older',
    next: 'Newer',
    pages: (from: number, to: number, of: number) => `${from} to ${to} of ${of}`,
    alerts: 'Alert me',
    alertsHelp: 'With a sound, and a system notification if you allow it.',
    alertsDenied:
      'Your browser blocks notifications from the desk, so you get only the sound, and the number in the title of the tab. To allow them, open the site settings to the left of the address, and set Notifications to Allow.',
    arrived: (server: string, tool: string | undefined, kind: Question['kind']) =>
      kind === 'call'
        ? `Midcall asks before a call of ${tool} on ${server}.`
        : tool === undefined
          ? `${server} asks you a question.`
          : `${server} asks you a question for ${tool}.`,
  },
  app: {
    gone: 'There is no App here.',
    aside: 'While you type a secret, the server’s App is closed. It comes back when you leave the field.',
    form: {
      title: 'The server’s App',
      help: 'This part comes from the server. It can fill in the form below, but cannot send it. Do not enter secrets here.',
      stopped: 'The server’s App sent too much and was closed. Fill in the form yourself.',
      intruded: 'The server’s App kept taking your keyboard and was closed. Fill in the form yourself.',
    },
    result: {
      title: 'The server’s App, showing the result',
      help: 'This part comes from the server. It shows the result, which is also below, and can do nothing else. Do not enter secrets here.',
      stopped: 'The server’s App sent too much and was closed. The result is below.',
      intruded: 'The server’s App kept taking your keyboard and was closed. The result is below.',
    },
  },
  question: {
    asks: {
      form: 'asks you',
      url: 'asks you to open a page',
      'url-finish': 'is waiting for you to finish on a page',
      'sign-in': 'asks you to sign in',
      'sign-in-more': 'asks for more than your sign-in allows',
      'sampling-request': 'asks to use your model',
      'sampling-reply': 'asks for your model’s reply',
      'own-reply': 'asks for your reply',
      roots: 'asks which folders it may use',
      call: 'is about to be called',
    } satisfies Record<QuestionWording, string>,
    /** Of a question that has ended. */
    asked: {
      form: 'asked you',
      url: 'asked you to open a page',
      'url-finish': 'waited for you to finish on a page',
      'sign-in': 'asked you to sign in',
      'sign-in-more': 'asked for more than your sign-in allowed',
      'sampling-request': 'asked to use your model',
      'sampling-reply': 'asked for your model’s reply',
      'own-reply': 'asked for your reply',
      roots: 'asked which folders it might use',
      call: 'was about to be called',
    } satisfies Record<QuestionWording, string>,
    signInAt: (headline: string, host: string) => `${headline}, at ${host}`,
    forCall: 'for the call',
    noCall: 'call not named',
    outsideCall: 'The server did not say which call this is for.',
    serverWrites: 'The server writes',
    send: 'Send answer',
    allow: 'Allow',
    next: (server: string, kind: Question['kind']) =>
      kind === 'call' ? `Next: a call on ${server}` : `Next: ${server} asks you`,
    noneLeft: 'Nothing more waits for you.',
    perhapsElsewhere: 'The server asks something, and did not say for which of the calls that are running:',
    sameAsLast: 'Same as last time',
    decline: 'Decline',
    dismiss: 'Dismiss',
    esc: 'Esc',
    escAgain: 'Press Esc again to dismiss; what you entered will be lost.',
    waysOut: 'Decline tells the server no. Dismiss closes the question without an answer.',
    review: 'You will send',
    reviewStep: 'Review first',
    unchanged: 'default',
    counted: (answered: number, empty: number) =>
      empty === 0 ? counted(answered, 'answer') : `${counted(answered, 'answer')}, ${empty} left empty`,
    fix: (count: number) => `Please check ${counted(count, 'field')}.`,
    waiting: 'Waiting for you',
    alreadyEnded: 'This question had already ended when your answer arrived, so your answer was not sent.',
    unknown: 'There is no such question. It may belong to an earlier session.',
    title: 'Question',
    age: 'waiting',
    openUntil: 'closes by',
    leftToAnswer: (server: string) => `left to answer ${server}`,
    left: (minutes: number, seconds: number) => `${minutes}:${String(seconds).padStart(2, '0')} left`,
    timeIsUp: 'time is up',
  },
  wait: {
    waits: (host: string) => `${host} waits`,
    waitsUntil: (host: string) => `${host} waits until`,
    leftToWait: (host: string) => `until ${host} stops waiting`,
    answerFirst: (host: string) => `${host} has stopped waiting. Answer here; then go back to it and say “continue”.`,
    notServed: 'Not picked up',
    servedLater: 'It gets the result if it makes the call again in time.',
    states: {
      waits: (host: string) => `${host} is back, and waits.`,
      left: (host: string) => `${host} has stopped waiting: go back to it and say “continue”.`,
      served: (host: string) => `${host} came back, and has the result.`,
      lost: (host: string) => `${host} did not come back for this call, and gets no result of it any more.`,
    },
  },
  standing: {
    more: { mute: 'Mute this server…', both: 'Allow or mute…' },
    allow: 'Approve, and allow for this session',
    allowHelp:
      'From then on, this server may use your models without asking, within its budget. You see neither its requests nor the replies.',
    mute: 'Mute this server',
    muteFor: 'Until',
    muteHelp:
      'If you mute it, everything it asks is refused without reaching you, including this question. You can revoke that under Policy.',
  },
  ending: {
    chip: {
      answered: 'Answered',
      declined: 'Declined',
      dismissed: 'Dismissed',
      'timed-out': 'Timed out',
      unshown: 'Not shown',
      withdrawn: 'Withdrawn',
      completed: 'Completed',
      'server-gone': 'Server stopped',
      'refused-by-policy': 'Refused by policy',
    } satisfies Record<Ending['how'], string>,
    agreed: {
      form: 'You answered',
      url: 'You agreed to open the page',
      'url-finish': 'You said that you had finished',
      'sign-in': 'You signed in',
      'sampling-request': 'You approved the request',
      'sampling-reply': 'You sent the reply to the server',
      roots: 'You shared folders',
      call: 'You said yes to the call',
    } satisfies Record<Question['kind'], string>,
    sentence(ending: Ending, kind: Question['kind']): string {
      if (kind === 'call' && ending.how !== 'answered' && ending.how !== 'refused-by-policy')
        return texts.callQuestion.ended(ending);
      switch (ending.how) {
        case 'answered':
          return ending.via === 'policy'
            ? 'A decision of yours allowed it.'
            : `${texts.ending.agreed[kind]}${through(ending.via)}.`;
        case 'declined':
          if (kind === 'sign-in') return `You declined${through(ending.via)}. Nobody is signed in.`;
          // On 2026-07-28 a refused request for a model ends the call, and the server is told nothing.
          return kind === 'sampling-request' || kind === 'sampling-reply'
            ? `You declined${through(ending.via)}.`
            : `You declined${through(ending.via)}. The server was told no.`;
        case 'dismissed':
          if (kind === 'sign-in') return `You dismissed it${through(ending.via)}. Nobody is signed in.`;
          return `You dismissed it${through(ending.via)}. The server got no answer, neither yes nor no.`;
        case 'timed-out':
          return 'The time to answer ran out. The server was told that nobody answered.';
        case 'unshown':
          return 'It could not be shown. The server was told that nobody answered.';
        case 'withdrawn':
          if (kind === 'sign-in') return 'The sign-in failed or was cancelled. The call that needed it says why.';
          return 'The server withdrew the question, or its call was cancelled. There is nothing left to answer.';
        case 'completed':
          return kind === 'sign-in' ? 'You are signed in.' : 'The page reported that you have finished.';
        case 'server-gone':
          return 'The server stopped, so there is nobody left to answer.';
        case 'refused-by-policy':
          return `Your policy refused it. ${ending.decision}`;
      }
    },
    noContent: 'The answer had no values.',
  },
  callQuestion: {
    tool: 'Tool:',
    notMade: (count: number) => (count === 1 ? 'The call has not been made.' : 'The calls have not been made.'),
    because: (why: string) => `You are asked because ${why}.`,
    before: 'Before',
    after: 'After',
    yes: 'Make this call once',
    no: 'Do not make it',
    close: 'Dismiss',
    waysOut: 'A yes is for these arguments alone, and for one call. Without a yes the call is not made.',
    grant: {
      more: 'Let calls like it pass…',
      which: 'Which calls pass without asking you',
      scopes: {
        exact: 'with exactly these arguments',
        fields: 'where these arguments are equal:',
        tool: 'all calls of this tool',
      } satisfies Record<GrantChoice['scope'], string>,
      passed: (count: number, of: number) => `would have let pass ${count} of the last ${of}`,
      until: 'For',
      ends: {
        session: 'as long as Midcall runs, at most a day',
        hour: 'an hour',
        day: 'a day',
      } satisfies Record<GrantEnd, string>,
      help: 'Only for this caller, this server, and this definition of the tool. It answers no question of the server. You can revoke it under Policy.',
      give: 'Make this call, and let such calls pass',
    },
    together: {
      title: (tool: string) => `Calls of ${tool}`,
      headline: (count: number) => (count === 1 ? 'is about to be called' : `is about to be called ${count} times`),
      row: (count: number) => `${count} calls are about to be made`,
      all: (count: number) => `Decide about all ${count} calls like this one`,
      call: (at: number, of: number) => `Call ${at} of ${of}`,
      alone: 'On its own page',
      leaveOut: 'Leave it out',
      yes: (count: number) => (count === 1 ? 'Make this call once' : `Allow these ${count}`),
      no: (count: number) => (count === 1 ? 'Do not make it' : `Refuse these ${count}`),
      waysOut:
        'A yes is for each of these calls, with the arguments that you see here, and once. Calls that come while you read are not among them.',
      more: (count: number) => (count === 1 ? 'Another call like this waits.' : `${count} other calls like this wait.`),
      showAll: 'Show all of them',
      ended: 'No longer open',
      hadEnded: (count: number) =>
        count === 1
          ? 'One of the calls was no longer open, so your decision does not count for it.'
          : `${count} of the calls were no longer open, so your decision does not count for them.`,
    },
    ended(ending: Exclude<Ending, { readonly how: 'answered' | 'refused-by-policy' }>): string {
      switch (ending.how) {
        case 'declined':
          return `You said no${through(ending.via)}. The call was not made.`;
        case 'dismissed':
          return `You dismissed it${through(ending.via)}. The call was not made.`;
        case 'timed-out':
          return 'The time to answer ran out. The call was not made.';
        case 'unshown':
          return 'It could not be shown. The call was not made.';
        default:
          return 'The server stopped, or its host. The call was not made.';
      }
    },
  },
  typed: {
    unsent: 'You typed this, and it was not sent. It stays here until the desk stops, so that you can copy it.',
    secrets: 'Secrets are not kept.',
    copy: 'Copy',
    copied: 'Copied',
  },
  notice: {
    kinds: {
      call: 'A call',
      form: 'A form',
      url: 'A page to open',
      sampling: 'Use of your model',
      roots: 'A request for your folders',
      round: 'A round of questions',
      'elicitation/create': 'A question',
      'sampling/createMessage': 'Use of your model',
      'roots/list': 'A request for your folders',
    } as Record<string, string>,
    refused: (by: 'host' | 'policy', kind: string) => {
      const what = texts.notice.kinds[kind] ?? `A request (${kind})`;
      return by === 'policy'
        ? `${what} was refused by your policy. You were not asked.`
        : `${what} was refused before it reached you.`;
    },
    allowed: (kind: string) =>
      `${texts.notice.kinds[kind] ?? `A request (${kind})`} was allowed by a decision of yours.`,
    allowedChip: 'Allowed',
  },
  field: fieldTexts,
  signIn: {
    forServer: 'It accepts calls only from people who are signed in.',
    at: 'You sign in at',
    scopes: 'It asks for',
    code: 'Your code',
    open: 'Sign in',
    help: 'The page opens in a new tab. Midcall does not see what you type there. Once you are signed in, this card disappears, and the call that needed it continues.',
    waysOut: 'If you decline or dismiss, you stay signed out, and the call that needs the sign-in fails.',
  },
  url: {
    domain: 'The page belongs to',
    full: 'The full address',
    warnings: 'Check this first',
    open: 'Open the page',
    nothingFetched:
      'Nothing has been loaded from it. Opening it tells the server that you agreed, not that you have finished.',
    notOpenable: 'This is not a web address, so it cannot be opened. You can decline or dismiss.',
    finished: 'I have finished',
    giveUp: 'Cancel',
    afterOpen: 'The page was opened in a new tab. Come back when you are done there.',
    finishWays: 'When you have finished, the call is tried again. Cancel ends the call.',
    readsAs: (host: string) => `reads as ${host}`,
  },
  audit: {
    title: 'Audit log',
    lead: 'Who asked, for which call, and how it ended. Answers and arguments are not kept. Each entry is chained to the one before it.',
    search: 'Search',
    export: 'Export as JSON Lines',
    none: 'No entries yet.',
    noMatch: 'No entry matches.',
    intact: 'The chain is intact.',
    lost: (count: number) => `${counted(count, 'entry', 'entries')} could not be written.`,
    broken: (line: number) => `The chain is broken at entry ${line}.`,
    shown: (listed: number, all: number) =>
      listed === all ? `${counted(all, 'entry', 'entries')}.` : `${listed} of ${all} entries.`,
    heads: ['No.', 'When', 'Server', 'Call', 'What'],
    principal: (name: string) => `for ${name}`,
    event(event: HostEvent): string {
      switch (event.type) {
        case 'asked':
          return `asked (${event.kind}): ${event.about}`;
        case 'ended': {
          const by = event.via === undefined ? '' : ` through ${event.via}`;
          const decision = event.decision === undefined ? '' : `: ${event.decision}`;
          return `${texts.ending.chip[event.how].toLowerCase()} (${event.kind})${by} after ${spelledAge(event.elapsedMs)}${decision}`;
        }
        case 'refused':
          return `refused by ${event.by} (${event.kind}): ${event.why}`;
        case 'call':
          return `call ${event.state}${event.how === undefined ? '' : `: ${event.how}`}`;
        case 'allowed':
          return `allowed by a decision (${event.kind})`;
        case 'gap':
          return `${counted(event.lost, 'entry', 'entries')} missing before this one: ${event.why}`;
        case 'policy':
        case 'roots':
          return `${event.type}: ${event.what}`;
      }
    },
  },
  opening: {
    title: 'Opening the page',
    lead: 'You agreed to open this address. If nothing happens, use this link:',
  },
  session: {
    title: 'This desk needs its start link',
    used: 'This start link has been used. It works once, so that nobody who finds it later can answer for you.',
    missing: 'Open the desk with the link that its terminal printed.',
    again: 'Press Enter in that terminal for a new link.',
    link: 'For a new link, type “midcall desk” in a terminal. This browser needs one once; after that, this address is enough.',
    refused: 'Refused',
    broken: 'Something went wrong',
    brokenLead: 'The desk could not make this page. Nothing was sent to a server.',
    brokenSent: 'The desk could not make this page. What you sent may have been done: look before you send it again.',
    foreign: 'This request did not come from the desk’s own pages, so nothing was done.',
    notFound: 'There is nothing here.',
    notFoundTitle: 'Not found',
    back: 'Back to the desk',
  },
  installed: 'Run the tools of your servers, and answer their questions.',
  offline: {
    title: 'No desk is running',
    lines: [
      'It starts by itself when a bridge has a question for you. To start it now, type “midcall desk” in a terminal.',
      'This page opens the desk as soon as it runs.',
    ],
  },
  ages: {
    milliseconds: (count: number) => `${count} ms`,
    seconds: (count: number) => `${count} s`,
    minutes: (count: number) => `${count} min`,
    hours: (count: number) => `${count} h`,
    days: (count: number) => `${count} d`,
  },
};

/** How many milliseconds before its end a question starts to count down. */
const countsDownMs = 300_000;

/** How long a question is still open, in its last minutes; the same is in `client/ages.ts`. */
export function spelledLeft(ms: number): string {
  if (ms > countsDownMs) return '';
  const seconds = Math.ceil(ms / 1000);
  return seconds <= 0 ? texts.question.timeIsUp : texts.question.left(Math.floor(seconds / 60), seconds % 60);
}

/** How long something took, rounded to one unit. */
export function spelledSpan(ms: number): string {
  return ms < 1000 ? texts.ages.milliseconds(Math.max(0, Math.round(ms))) : spelledAge(ms);
}

/** How long something has waited, rounded to one unit. */
export function spelledAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return texts.ages.seconds(seconds);
  if (seconds < 3600) return texts.ages.minutes(Math.floor(seconds / 60));
  if (seconds < 86_400) return texts.ages.hours(Math.floor(seconds / 3600));
  return texts.ages.days(Math.floor(seconds / 86_400));
}
