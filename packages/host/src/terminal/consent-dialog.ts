/** Consent to opening pages, to using the model, and to sharing directories. */
import { urlLines } from '@midcall/core/url';
import {
  argumentRows,
  type CallQuestion,
  type GrantChoice,
  type GrantEnd,
  type GrantOffer,
  maskedArguments,
  type Question,
  type Reply,
  type RootsQuestion,
  type SignInQuestion,
  type UrlFinishQuestion,
  type UrlQuestion,
  visible,
  wouldPass,
} from '../index.ts';
import { heading, quoted } from './frame.ts';
import type { Prompter } from './prompter.ts';
import { type ModelOptions, replyDialog, requestDialog } from './sampling-dialog.ts';
import { decline, dismiss, refusing } from './ways-out.ts';

export interface ConsentOptions extends ModelOptions {
  /** Opens a page; false if that is not possible. */
  readonly openUrl: (href: string) => Promise<boolean>;
}

/** Asks a question that is not a form. A prompt left without an answer dismisses it. */
export function consentDialog(
  question: Exclude<Question, { kind: 'form' }>,
  prompter: Prompter,
  options: ConsentOptions,
): Promise<Reply> {
  switch (question.kind) {
    case 'url':
      return urlDialog(question, prompter, options);
    case 'url-finish':
      return finishDialog(question, prompter, options);
    case 'sign-in':
      return signInDialog(question, prompter, options);
    case 'sampling-request':
      return requestDialog(question, prompter, options);
    case 'sampling-reply':
      return replyDialog(question, prompter, options);
    case 'roots':
      return rootsDialog(question, prompter, options);
    case 'call':
      return callDialog(question, prompter, options);
  }
}

async function urlDialog(question: UrlQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  const { url, message } = question;
  prompter.say([...heading(question, options.timeZone), ...quoted(message), ...urlLines(url)]);
  const open = url.openable ? [{ value: 'open', label: 'Open this page in your browser' }] : [];
  const chosen = await prompter.choose({
    message: url.openable ? 'Open it?' : 'This address cannot be opened.',
    picks: [...open, ...refusing],
    initial: 'dismiss',
    signal: options.signal,
  });
  if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
  if (chosen.value === 'decline') return decline;
  const opened = await options.openUrl(url.href);
  if (!opened) prompter.say(['No browser could be opened here. Open the address above yourself.']);
  return { action: 'accept' };
}

async function finishDialog(question: UrlFinishQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  prompter.say([...heading(question, options.timeZone), ...quoted(question.message), ...urlLines(question.url)]);
  const chosen = await prompter.choose({
    message: 'When you are done on the page:',
    picks: [
      { value: 'done', label: 'I have finished', hint: 'the call is tried again' },
      { value: 'cancel', label: 'Cancel the call' },
    ],
    signal: options.signal,
  });
  return chosen.answered && chosen.value === 'done' ? { action: 'accept' } : dismiss;
}

/** Stays open until the person has signed in on the page, which ends the question (`options.signal`). */
async function signInDialog(question: SignInQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  const { url, issuer, scopes, code } = question;
  prompter.say([
    ...heading(question, options.timeZone),
    `You sign in at ${visible(issuer, { max: 300 })}. Midcall does not see what you type there.`,
    ...(scopes.length === 0 ? [] : [`It asks for: ${visible(scopes.join(', '), { max: 500 })}`]),
    ...urlLines(url),
    ...(code === undefined ? [] : [`  Code:    ${visible(code, { max: 100 })}`]),
  ]);
  let opened = false;
  for (;;) {
    const open = url.openable
      ? [{ value: 'open', label: opened ? 'Open the page again' : 'Open this page in your browser' }]
      : [];
    const chosen = await prompter.choose({
      message: opened
        ? 'Waiting for you to sign in on the page.'
        : url.openable
          ? 'Sign in?'
          : 'This address cannot be opened.',
      picks: [...open, ...refusing],
      initial: opened ? 'open' : 'dismiss',
      signal: options.signal,
    });
    if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
    if (chosen.value === 'decline') return decline;
    opened = true;
    if (!(await options.openUrl(url.href)))
      prompter.say(['No browser could be opened here. Open the address above yourself, on this machine.']);
  }
}

async function rootsDialog(question: RootsQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  const { roots } = question;
  let ticked: readonly string[] = [];
  prompter.say([
    ...heading(question, options.timeZone),
    'Folders to share:',
    ...roots.map(root => `  ${visible(root.uri, { max: 500 })}`),
  ]);
  for (;;) {
    const choice = await prompter.choose({
      message: 'Share them with the server?',
      picks: [
        { value: 'all', label: roots.length === 1 ? 'Share it' : 'Share all of them' },
        ...(roots.length === 1 ? [] : [{ value: 'some', label: 'Choose some' }]),
        ...refusing,
      ],
      initial: 'dismiss',
      signal: options.signal,
    });
    if (!choice.answered || choice.value === 'dismiss') return dismiss;
    if (choice.value === 'decline') return decline;
    if (choice.value === 'all') return { action: 'accept', content: { uris: roots.map(root => root.uri) } };
    const some = await prompter.chooseMany({
      message: 'Which ones?',
      picks: roots.map((root, index) => ({ value: String(index), label: visible(root.uri, { max: 500 }) })),
      initial: ticked,
      validate: chosen => (chosen.length === 0 ? 'Choose at least one, or go back to share none.' : undefined),
      signal: options.signal,
    });
    if (some.answered) return { action: 'accept', content: { uris: some.value.map(each => roots[Number(each)]!.uri) } };
    ticked = some.typed ?? ticked;
  }
}

/** The most characters of one argument that are shown. */
const longestArgument = 20_000;

/** One argument: short values beside their name, and texts below it. */
function argumentLines(row: ReturnType<typeof argumentRows>[number]): readonly string[] {
  const label = visible(row.label, { max: 200 });
  if (row.shows === 'value') return [`  ${label}: ${visible(row.text, { max: 500 })}`];
  const part = (name: string, text: string) => [`  ${name}:`, ...quoted(text, longestArgument)];
  return row.shows === 'change'
    ? [...part(`${label}, before`, row.before), ...part(`${label}, after`, row.after)]
    : part(label, row.text);
}

function callLines({ call, labels }: CallQuestion): readonly string[] {
  const rows = argumentRows(call.arguments, labels);
  return rows.length === 0 ? ['It has no arguments.'] : ['Its arguments:', ...rows.flatMap(argumentLines)];
}

async function callDialog(question: CallQuestion, prompter: Prompter, options: ConsentOptions): Promise<Reply> {
  prompter.say([...heading(question, options.timeZone), ...callLines(question)]);
  const chosen = await prompter.choose({
    message: 'Make this call?',
    picks: [
      { value: 'yes', label: 'Yes, make it once' },
      ...(question.grants ? [{ value: 'grant', label: 'Yes, and let calls like it pass…' }] : []),
      { value: 'no', label: 'No, do not make it' },
      { value: 'dismiss', label: 'Dismiss', hint: 'close it without saying yes or no; the call is not made' },
    ],
    initial: 'dismiss',
    signal: options.signal,
  });
  if (!chosen.answered || chosen.value === 'dismiss') return dismiss;
  if (chosen.value === 'grant' && question.grants) {
    const grant = await grantDialog(question.grants, prompter, options);
    return grant ? { action: 'accept', content: { grant } } : callDialog(question, prompter, options);
  }
  return chosen.value === 'yes' ? { action: 'accept' } : decline;
}

/**
 * Asks about several alike calls at once.
 * @returns the reply and the questions that it is for; undefined if the person wants to decide about each alone
 */
export async function callsDialog(
  questions: readonly CallQuestion[],
  prompter: Prompter,
  options: Pick<ConsentOptions, 'signal' | 'timeZone'>,
): Promise<{ readonly reply: Reply; readonly questions: readonly CallQuestion[] } | undefined> {
  const [first] = questions;
  const { signal, timeZone } = options;
  const name = (at: number): string => `Call ${at + 1} of ${questions.length}`;
  prompter.say([
    ...(first ? heading(first, timeZone, questions.length) : []),
    ...questions.flatMap((question, at) => [`-- ${name(at)} --`, ...callLines(question)]),
  ]);
  let chosen = questions;
  for (;;) {
    const these = chosen.length === 1 ? 'this one' : `these ${chosen.length}`;
    const choice = await prompter.choose({
      message: 'Make these calls?',
      picks: [
        { value: 'yes', label: `Allow ${these}`, hint: 'each is made once, with the arguments above' },
        { value: 'no', label: `Refuse ${these}` },
        { value: 'some', label: 'Leave some out…', hint: 'you are asked about these next' },
        { value: 'each', label: 'Decide about each alone' },
        { value: 'dismiss', label: 'Dismiss', hint: 'close them without saying yes or no; the calls are not made' },
      ],
      initial: 'dismiss',
      signal,
    });
    if (!choice.answered || choice.value === 'dismiss') return { reply: dismiss, questions: chosen };
    if (choice.value === 'each') return undefined;
    if (choice.value === 'yes') return { reply: { action: 'accept' }, questions: chosen };
    if (choice.value === 'no') return { reply: decline, questions: chosen };
    const some = await prompter.chooseMany({
      message: 'Which calls do you decide about?',
      picks: questions.map((question, at) => ({
        value: String(at),
        label: `${name(at)}: ${visible(JSON.stringify(maskedArguments(question.call.arguments)), { max: 150 })}`,
      })),
      initial: questions.flatMap((question, at) => (chosen.includes(question) ? [String(at)] : [])),
      validate: values => (values.length === 0 ? 'Choose at least one, or go back.' : undefined),
      signal,
    });
    if (some.answered) chosen = questions.filter((_, at) => some.value.includes(String(at)));
  }
}

const scopeLabels: Readonly<Record<GrantChoice['scope'], string>> = {
  exact: 'Calls with exactly these arguments',
  fields: 'Calls where some arguments are equal to these',
  tool: 'All calls of this tool',
};
const endLabels: Readonly<Record<GrantEnd, string>> = {
  session: 'Until Midcall ends',
  hour: 'For an hour',
  day: 'For a day',
};

/** What a choice would have let pass, before it is made. */
function passed(grants: GrantOffer, choice: Pick<GrantChoice, 'scope' | 'fields'>): string | undefined {
  const { length } = grants.recent;
  return length === 0 ? undefined : `would have let pass ${wouldPass(grants, choice)} of the last ${length}`;
}

/** How far the yes goes. @returns undefined if the person goes back */
async function grantDialog(
  grants: GrantOffer,
  prompter: Prompter,
  { signal }: ConsentOptions,
): Promise<GrantChoice | undefined> {
  const back = { value: 'back', label: 'Go back' };
  const scope = await prompter.choose({
    message: 'Which calls may pass without asking you?',
    picks: [
      ...grants.scopes.map(value => {
        const hint = value === 'fields' ? undefined : passed(grants, { scope: value });
        return { value, label: scopeLabels[value], ...(hint !== undefined && { hint }) };
      }),
      back,
    ],
    initial: 'back',
    signal,
  });
  const chosen = grants.scopes.find(each => scope.answered && each === scope.value);
  if (!chosen) return undefined;
  let fields: readonly string[] | undefined;
  if (chosen === 'fields') {
    const picked = await prompter.chooseMany({
      message: 'Which arguments must be equal?',
      picks: grants.fields.map((name, at) => {
        const hint = passed(grants, { scope: 'fields', fields: [name] });
        return { value: String(at), label: visible(name, { max: 200 }), ...(hint !== undefined && { hint }) };
      }),
      initial: [],
      validate: values => (values.length === 0 ? 'Choose at least one, or go back.' : undefined),
      signal,
    });
    if (!picked.answered) return undefined;
    fields = picked.value.flatMap(at => grants.fields[Number(at)] ?? []);
    const all = passed(grants, { scope: 'fields', fields });
    if (all !== undefined) prompter.say([`This ${all}.`]);
  }
  const end = await prompter.choose({
    message: 'For how long?',
    picks: [...grants.ends.map(value => ({ value, label: endLabels[value] })), back],
    initial: 'back',
    signal,
  });
  const until = grants.ends.find(each => end.answered && each === end.value);
  return until && { scope: chosen, ...(fields && { fields }), end: until };
}
