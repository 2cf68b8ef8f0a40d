/** A form, field by field, then a look at the whole before anything is sent. */
import {
  type Content,
  checkValue,
  type Field,
  isCardNumber,
  labelOf,
  parseTextual,
  type WireValue,
} from '@midcall/core/form';
import {
  type FormQuestion,
  isLongText,
  mask,
  type Reply,
  saidAlready,
  secretsOf,
  secretWarnings,
  visible,
} from '../index.ts';
import { askSecret } from './ask-secret.ts';
import { editText } from './edit-text.ts';
import type { Editor } from './editor.ts';
import { heading, quoted } from './frame.ts';
import { notGiven, type Pick, type Prompter, type PromptResult, type TextPrompt } from './prompter.ts';
import { safePrompt } from './safe-prompt.ts';
import { askToLeave, decline, dismiss, refusing } from './ways-out.ts';

export interface FormDialogOptions {
  readonly signal: AbortSignal;
  /** The zone of a date and time written without one (IANA name); shown to the person. */
  readonly timeZone: string;
  /** For texts of several lines. */
  readonly editor: Editor | undefined;
}

/** How far a person has come with a form. */
interface Sheet {
  /** Where they are: -1 is the choice to answer at all, then the fields, then the look at the whole. */
  at: number;
  readonly answers: Map<string, WireValue>;
  /** What stood in a field when it was left without an answer: a text, or the picks of a list. */
  readonly typed: Map<string, string | readonly string[]>;
  /** True where the last thing they did was to go a step back. */
  backed: boolean;
}

/** What asking one field needs. */
interface FieldOptions extends FormDialogOptions {
  /** Names of the fields that ask for a secret. */
  readonly secrets: ReadonlySet<string>;
}

type Went = 'on' | 'back' | Reply;

/**
 * Asks one form. Giving nothing (Ctrl-C, Esc) goes one step back; giving nothing again asks whether to leave the question.
 * Nothing that was entered is lost: it stands there again on the way forward, and is written out where nothing was sent.
 */
export async function formDialog(
  question: FormQuestion,
  prompter: Prompter,
  given: FormDialogOptions,
  start: { readonly answers?: Content; readonly problem?: string } = {},
): Promise<Reply> {
  const { fields } = question;
  const options: FieldOptions = { ...given, secrets: secretsOf(question) };
  const sheet: Sheet = {
    at: start.problem === undefined ? -1 : fields.length,
    answers: new Map(Object.entries(start.answers ?? {})),
    typed: new Map(),
    backed: false,
  };
  if (start.problem === undefined) prompter.say([...heading(question), ...quoted(question.message)]);
  else prompter.say([`! ${start.problem}`]);
  const reply = await walk(question, sheet, prompter, options);
  // The look at the whole has shown it just above.
  if (reply.action !== 'accept' && sheet.at < fields.length) prompter.say(notSent(question, sheet, options.secrets));
  return reply;
}

async function walk(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: FieldOptions): Promise<Reply> {
  const { fields } = question;
  for (;;) {
    const went =
      sheet.at < 0
        ? await open(question, prompter, options)
        : sheet.at < fields.length
          ? await askField(fields[sheet.at]!, sheet, prompter, options)
          : await review(question, sheet, prompter, options);
    if (typeof went === 'object') return went;
    if (went === 'on') {
      sheet.at++;
      sheet.backed = false;
      if (fields.length === 0) return { action: 'accept', content: {} };
      continue;
    }
    // Nobody is there to go back, or the question is over.
    if (options.signal.aborted || prompter.starved) return dismiss;
    if (sheet.at < 0 && sheet.answers.size + sheet.typed.size === 0) return dismiss;
    const leaving = sheet.backed || sheet.at < 0 ? await askToLeave(prompter, options.signal, sheet.at >= 0) : 'back';
    if (typeof leaving === 'object') return leaving;
    sheet.backed = leaving === 'back';
    if (leaving === 'back') sheet.at--;
  }
}

async function open(question: FormQuestion, prompter: Prompter, { signal }: FormDialogOptions): Promise<Went> {
  const first = await prompter.choose({ message: 'What do you want to do?', picks: opening(question), signal });
  if (!first.given) return 'back';
  return first.value === 'dismiss' ? dismiss : first.value === 'decline' ? decline : 'on';
}

const opening = (question: FormQuestion): readonly Pick[] => [
  question.fields.length === 0
    ? { value: 'answer', label: 'Send answer', hint: 'there is nothing to fill in' }
    : { value: 'answer', label: 'Answer', hint: `${question.fields.length} to fill in; you see it before it is sent` },
  ...refusing,
];

async function review(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: FieldOptions): Promise<Went> {
  const { fields } = question;
  const { answers } = sheet;
  for (;;) {
    prompter.say([
      'Your answer:',
      ...fields.flatMap(field => answerLines(field, answers.get(field.name), options.secrets)),
    ]);
    const next = await prompter.choose({
      message: 'Send it?',
      picks: [{ value: 'send', label: 'Send answer' }, { value: 'change', label: 'Change something' }, ...refusing],
      signal: options.signal,
    });
    if (!next.given) return 'back';
    if (next.value === 'dismiss') return dismiss;
    if (next.value === 'decline') return decline;
    if (next.value === 'send') return { action: 'accept', content: Object.fromEntries(answers) };
    const picks = fields.map((field, index) => ({ value: String(index), label: nameOf(field) }));
    const which = await prompter.choose({ message: 'Which one?', picks, signal: options.signal });
    const went = which.given ? await askField(fields[Number(which.value)]!, sheet, prompter, options) : 'back';
    if (options.signal.aborted || prompter.starved) return 'back';
    sheet.backed = went === 'back';
  }
}

/** Asks one field and notes the answer, or what stood there. */
async function askField(
  field: Field,
  { answers, typed }: Sheet,
  prompter: Prompter,
  options: FieldOptions,
): Promise<'on' | 'back'> {
  const asked = await askValue(
    field,
    answers.get(field.name) ?? field.default,
    typed.get(field.name),
    prompter,
    options,
  );
  if (!asked.given) {
    if (asked.typed !== undefined) typed.set(field.name, asked.typed);
    return 'back';
  }
  typed.delete(field.name);
  if (asked.value === undefined) answers.delete(field.name);
  else answers.set(field.name, asked.value);
  return 'on';
}

/** What was entered and not sent, to be copied. */
function notSent({ fields }: FormQuestion, { answers, typed }: Sheet, secrets: ReadonlySet<string>): readonly string[] {
  const lines = fields.flatMap(field => {
    const left = typed.get(field.name);
    const value = left === undefined || left.length === 0 ? answers.get(field.name) : valueLeft(field, left);
    return value === undefined ? [] : answerLines(field, value, secrets);
  });
  return lines.length === 0 ? [] : ['Not sent. You had entered:', ...lines];
}

const valueLeft = (field: Field, left: string | readonly string[]): WireValue =>
  field.kind === 'multi-select' && typeof left !== 'string'
    ? left.map(each => field.choices[Number(each)]!.value)
    : (left as string);

/** What a field gives; where it gives nothing, what stood there: a text, or the picks of a list. */
type FieldOutcome =
  | { readonly given: true; readonly value: WireValue | undefined }
  | { readonly given: false; readonly typed?: string | readonly string[] };

async function askValue(
  field: Field,
  initial: WireValue | undefined,
  left: string | readonly string[] | undefined,
  prompter: Prompter,
  options: FieldOptions,
): Promise<FieldOutcome> {
  const { signal } = options;
  const message = promptOf(field, options);
  switch (field.kind) {
    case 'boolean': {
      const picks = [{ value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }, ...leaveOut(field)];
      const given = await prompter.choose({
        message,
        picks: marked(picks, field, String(field.default)),
        signal,
        ...standing(field, initial === undefined ? undefined : String(initial)),
      });
      return given.given ? { given: true, value: given.value === none ? undefined : given.value === 'true' } : notGiven;
    }
    case 'select': {
      const picks = [...picksOf(field), ...leaveOut(field)];
      const index = field.choices.findIndex(choice => choice.value === initial);
      const byDefault = field.choices.findIndex(choice => choice.value === field.default);
      const given = await prompter.choose({
        message,
        picks: marked(picks, field, String(byDefault)),
        signal,
        ...standing(field, index < 0 ? undefined : String(index)),
      });
      return given.given ? { given: true, value: field.choices[Number(given.value)]?.value } : notGiven;
    }
    case 'multi-select': {
      const values = (chosen: readonly string[]): readonly string[] =>
        chosen.map(each => field.choices[Number(each)]!.value);
      const start = Array.isArray(left)
        ? (left as readonly string[])
        : field.choices.flatMap((choice, index) =>
            (initial as readonly string[] | undefined)?.includes(choice.value) ? [String(index)] : [],
          );
      const empty = (chosen: readonly string[]): boolean => chosen.length === 0 && !field.required;
      const validate = (chosen: readonly string[]): string | undefined =>
        empty(chosen) ? undefined : problem(checkValue(field, values(chosen)));
      const given = await prompter.chooseMany({ message, picks: picksOf(field), initial: start, validate, signal });
      if (given.given) return { given: true, value: empty(given.value) ? undefined : values(given.value) };
      return String(given.typed ?? start) === String(start) ? notGiven : given;
    }
    default: {
      const read = (text: string) => parseTextual(field, text, { timeZone: options.timeZone });
      const validate = (text: string): string | undefined => {
        const result = read(text);
        return result.ok ? undefined : problem(result.issue);
      };
      if (options.secrets.has(field.name))
        return askSecret(field, initial, { message, validate, signal }, prompter, read);
      const standing = left ?? initial;
      const start: { initial?: string } = standing === undefined ? {} : { initial: String(standing) };
      const prompt = { message, validate, signal, ...start };
      const given = isLongText(field, start.initial ?? '')
        ? await editText(prompter, options.editor, prompt)
        : await askText(prompter, prompt);
      if (!given.given) return given;
      const result = read(given.value);
      const value = result.ok ? result.value : undefined;
      if (isCardNumber(value)) prompter.say([`! ${secretWarnings.typed}`]);
      return { given: true, value };
    }
  }
}

async function askText(prompter: Prompter, asked: TextPrompt): Promise<PromptResult<string>> {
  const { prompt, untouched } = safePrompt(asked, false);
  const given = await prompter.text(prompt);
  if (given.given) return { given: true, value: untouched(given.value) };
  // What was not touched was not typed.
  return given.typed === undefined || given.typed === (prompt.initial ?? '')
    ? notGiven
    : { given: false, typed: untouched(given.typed) };
}

/** Where the cursor stands in a list: on nothing where an answer is required and there is none to change. */
const standing = (
  field: Field,
  value: string | undefined,
): { readonly initial: string } | { readonly unchosen: true } =>
  value !== undefined ? { initial: value } : field.required ? { unchosen: true } : { initial: none };

const none = 'none';
const leaveOut = (field: Field): readonly Pick[] => (field.required ? [] : [{ value: none, label: '(no answer)' }]);

const picksOf = (field: Field & { kind: 'select' | 'multi-select' }): readonly Pick[] =>
  field.choices.map((choice, index) => ({ value: String(index), label: visible(choice.title, { max: 200 }) }));

const marked = (picks: readonly Pick[], field: Field, value: string): readonly Pick[] =>
  field.default === undefined ? picks : picks.map(pick => (pick.value === value ? { ...pick, hint: 'default' } : pick));

const problem = (issue: { readonly message: string } | undefined): string | undefined =>
  issue && visible(issue.message, { max: 400 });

const nameOf = (field: Field): string => visible(labelOf(field), { max: 100 });

function promptOf(field: Field, options: FormDialogOptions): string {
  const rules = [field.required ? 'required' : 'optional', ...rulesOf(field, options)].join(', ');
  const about = field.description === undefined ? '' : ` — ${visible(field.description, { max: 500 })}`;
  return `${nameOf(field)} (${rules})${about}`;
}

function rulesOf(field: Field, options: FormDialogOptions): readonly string[] {
  const rule = (value: unknown, text: string): readonly string[] => (value === undefined ? [] : [text]);
  switch (field.kind) {
    case 'text':
      return [
        ...rule(
          field.format,
          field.format === 'date-time'
            ? `date and time, in ${options.timeZone} unless you write a zone`
            : String(field.format),
        ),
        ...unsaid(field, field.minLength, field.maxLength, 'characters', [
          ...rule(field.minLength, `at least ${field.minLength} characters`),
          ...rule(field.maxLength, `at most ${field.maxLength} characters`),
        ]),
        ...rule(field.pattern, `must match ${visible(field.pattern ?? '', { max: 100 })}`),
        ...rule(
          field.uncheckedPattern,
          `not checked here: must match ${visible(field.uncheckedPattern ?? '', { max: 100 })}`,
        ),
      ];
    case 'number':
      return [
        field.integer ? 'whole number' : 'number',
        ...unsaid(field, field.minimum, field.maximum, 'number', [
          ...rule(field.minimum, `from ${field.minimum}`),
          ...rule(field.maximum, `up to ${field.maximum}`),
        ]),
      ];
    case 'multi-select':
      return unsaid(field, field.minItems, field.maxItems, 'choices', [
        ...rule(field.minItems, `at least ${field.minItems}`),
        ...rule(field.maxItems, `at most ${field.maxItems}`),
      ]);
    default:
      return [];
  }
}

/** Limits that the field's own description does not state. */
const unsaid = (
  { description }: Field,
  min: number | undefined,
  max: number | undefined,
  of: 'characters' | 'choices' | 'number',
  rules: readonly string[],
): readonly string[] => (saidAlready(description, min, max, of) ? [] : rules);

function answerLines(field: Field, value: WireValue | undefined, secrets: ReadonlySet<string>): readonly string[] {
  if (value !== undefined && (secrets.has(field.name) || isCardNumber(value))) return [`  ${nameOf(field)}: ${mask}`];
  if (field.kind === 'text' && typeof value === 'string' && value.includes('\n'))
    return [`  ${nameOf(field)}:`, ...quoted(value, 4_000)];
  return [`  ${nameOf(field)}: ${fieldText(field, value)}`];
}

function fieldText(field: Field, value: WireValue | undefined): string {
  if (value === undefined) return '(no answer)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (field.kind === 'select' || field.kind === 'multi-select') {
    const title = (each: string): string => field.choices.find(choice => choice.value === each)?.title ?? each;
    return visible(
      [value]
        .flat()
        .map(each => title(String(each)))
        .join(', '),
      { max: 500 },
    );
  }
  return visible(String(value), { max: 500 });
}
