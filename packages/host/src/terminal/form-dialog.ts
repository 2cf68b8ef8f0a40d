/** A form, field by field or from a list of its fields, then a review of the whole before anything is sent. */
import { type AskedField, isWayBack, type SelectField } from '@midcall/core/form';
import { type FormQuestion, type Reply, secretsOf, visible } from '../index.ts';
import { askValue, type FieldOptions } from './ask-value.ts';
import { answerLines, answerText, nameOf } from './field-lines.ts';
import { heading, quoted } from './frame.ts';
import type { Pick, Prompter } from './prompter.ts';
import { askToLeave, decline, dismiss, goBackTo, listPick, refusing } from './ways-out.ts';

const notesOf = ({ notes = [] }: FormQuestion): readonly string[] =>
  notes.map(note => `! ${visible(note, { max: 300 })}`);

export type FormDialogOptions = Omit<FieldOptions, 'secrets'>;

type DialogOptions = FieldOptions & { readonly wayBack: SelectField | undefined };

type Went = 'on' | 'back' | 'before' | 'list' | Reply;

/** The state of a form that a person fills in: what is answered, and what was left unfinished. */
interface Sheet {
  /** Where the person is: -1 is the choice to answer at all, then the fields, then the review. */
  at: number;
  readonly answers: Map<string, unknown>;
  /** What had been entered in a field that was left without an answer: a text, or the picks of a list. */
  readonly typed: Map<string, string | readonly string[]>;
  /** True if the last step was one back. */
  backed: boolean;
  /** True if they choose fields from a list instead of being asked one after the other. */
  listed: boolean;
}

/**
 * Asks for one field and records the answer, or what had been entered. @returns `before` if the person went to the previous
 * field
 */
async function askField(
  field: AskedField,
  { answers, typed }: Sheet,
  prompter: Prompter,
  options: FieldOptions,
): Promise<'on' | 'back' | 'before'> {
  const result = await askValue(
    field,
    answers.get(field.name) ?? field.default,
    typed.get(field.name),
    prompter,
    options,
  );
  if (!result.answered) {
    if (result.typed !== undefined) typed.set(field.name, result.typed);
    return result.toFieldBefore ? 'before' : 'back';
  }
  typed.delete(field.name);
  if (result.value === undefined) answers.delete(field.name);
  else answers.set(field.name, result.value);
  return 'on';
}

/** The required fields that have no answer. */
const unanswered = ({ fields }: FormQuestion, { answers }: Sheet): readonly AskedField[] =>
  fields.filter(field => field.required && !answers.has(field.name));

/** What was entered and not sent, to be copied. */
function notSent({ fields }: FormQuestion, { answers, typed }: Sheet, secrets: ReadonlySet<string>): readonly string[] {
  const lines = fields.flatMap(field => {
    const left = typed.get(field.name);
    const value = left === undefined || left.length === 0 ? answers.get(field.name) : valueLeft(field, left);
    return value === undefined ? [] : answerLines(field, value, secrets);
  });
  return lines.length === 0 ? [] : ['Not sent. You had entered:', ...lines];
}

const valueLeft = (field: AskedField, left: string | readonly string[]): unknown =>
  field.kind === 'multi-select' && typeof left !== 'string'
    ? left.map(each => field.choices[Number(each)]!.value)
    : (left as string);

/**
 * Asks one form. Ctrl-C or Esc goes one step back; pressing it again asks whether to leave the question.
 * Up and Shift+Tab go from a field to the one before it, as often as they are pressed.
 * No entry is lost: it is offered again on the way forward, and printed if nothing was sent.
 */
export async function formDialog(
  asked: FormQuestion,
  prompter: Prompter,
  caller: FormDialogOptions,
  start: { readonly answers?: Readonly<Record<string, unknown>>; readonly problem?: string } = {},
): Promise<Reply> {
  const wayBack = asked.fields.find(isWayBack);
  // It is no field to be filled in on the way forward.
  const fields = asked.fields.filter(field => field !== wayBack);
  const question = { ...asked, fields };
  const options: DialogOptions = { ...caller, secrets: secretsOf(question), wayBack };
  const sheet: Sheet = {
    at: start.problem === undefined ? -1 : fields.length,
    answers: new Map(Object.entries(start.answers ?? {})),
    typed: new Map(),
    backed: false,
    listed: false,
  };
  if (start.problem === undefined)
    prompter.say([...heading(question, options.timeZone), ...quoted(question.message, 20_000), ...notesOf(question)]);
  else prompter.say([`! ${start.problem}`]);
  const reply = await walk(question, sheet, prompter, options);
  // The review has shown it just above.
  if (reply.action !== 'accept' && sheet.at < fields.length) prompter.say(notSent(question, sheet, options.secrets));
  return reply;
}

/** A form with more fields than this offers the list. */
const mostWalked = 8;

const isLong = ({ fields }: FormQuestion): boolean => fields.length > mostWalked;

/** The value of the choice that leads from the list to the review. */
const toReview = 'review';

/** Takes the form's defaults as answers, as if the person had gone through it without changing anything. */
function takeDefaults({ fields }: FormQuestion, { answers }: Sheet, secrets: ReadonlySet<string>): void {
  for (const { name, default: value } of fields)
    if (value !== undefined && !answers.has(name) && !secrets.has(name)) answers.set(name, value);
}

/** One entry for each field, by its place in the form; its answer is always visible, not only under the cursor. */
const fieldPicks = (
  { fields }: FormQuestion,
  { answers, typed }: Sheet,
  secrets: ReadonlySet<string>,
): readonly Pick[] =>
  fields.map((field, index) => {
    const name = nameOf(field);
    const answered = answers.has(field.name);
    const label = answered ? `${name}: ${answerText(field, answers.get(field.name), secrets)}` : name;
    const state = typed.has(field.name) ? ' (not finished)' : field.required && !answered ? ' (required)' : '';
    return { value: String(index), label: `${label}${state}` };
  });

/** "5 answers, 12 left empty, 2 of them required" */
function counted(question: FormQuestion, sheet: Sheet): string {
  const answered = question.fields.filter(({ name }) => sheet.answers.has(name)).length;
  const missing = unanswered(question, sheet).length;
  const required = missing === 0 ? '' : `, ${missing} of them required`;
  return `${answered} ${answered === 1 ? 'answer' : 'answers'}, ${question.fields.length - answered} left empty${required}`;
}

/** The field to offer next: after the last one, first the required fields, then empty ones. */
function next(question: FormQuestion, sheet: Sheet, last: AskedField | undefined): string {
  const { fields } = question;
  const from = last ? fields.indexOf(last) + 1 : 0;
  const inTurn = [...fields.slice(from), ...fields.slice(0, from)];
  const [missing] = unanswered(question, sheet);
  const firstUnanswered = inTurn.find(field => unanswered(question, sheet).includes(field)) ?? missing;
  const empty = firstUnanswered ?? inTurn.find(({ name }) => !sheet.answers.has(name));
  return empty ? String(fields.indexOf(empty)) : toReview;
}

/** Lets the person choose fields and answer them, until they ask to review the whole form. */
async function fieldList(
  question: FormQuestion,
  sheet: Sheet,
  prompter: Prompter,
  options: FieldOptions,
): Promise<'on' | 'back'> {
  const { fields } = question;
  let last: AskedField | undefined;
  for (;;) {
    const chosen = await prompter.choose({
      message: `Which field? ${counted(question, sheet)}`,
      picks: [
        { value: toReview, label: 'Look at your answer', hint: 'then send it' },
        ...fieldPicks(question, sheet, options.secrets),
      ],
      initial: next(question, sheet, last),
      signal: options.signal,
    });
    if (!chosen.answered) return 'back';
    if (chosen.value === toReview) return 'on';
    last = fields[Number(chosen.value)]!;
    await askField(last, sheet, prompter, options);
    if (options.signal.aborted || prompter.starved) return 'back';
  }
}

async function walk(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: DialogOptions): Promise<Reply> {
  const { fields } = question;
  for (;;) {
    const outcome = await step(question, sheet, prompter, options);
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'on') {
      sheet.at = sheet.listed && sheet.at >= 0 ? fields.length : sheet.at + 1;
      sheet.backed = false;
      if (fields.length === 0) return { action: 'accept', content: {} };
      continue;
    }
    if (outcome === 'before') {
      goBack(question, sheet);
      sheet.backed = false;
      continue;
    }
    if (outcome === 'list') {
      toList(question, sheet, options);
      continue;
    }
    // The input has ended, so nobody can go back, or the question is over.
    if (options.signal.aborted || prompter.starved) return dismiss;
    if (sheet.at < 0 && sheet.answers.size + sheet.typed.size === 0) return dismiss;
    const ways = { back: sheet.at >= 0, list: isLong(question) && !sheet.listed, to: goBackTo(options.wayBack) };
    const leaving = sheet.backed || sheet.at < 0 ? await askToLeave(prompter, options.signal, ways) : 'back';
    if (typeof leaving === 'object') return 'to' in leaving ? leave(question, sheet, options, leaving.to) : leaving;
    sheet.backed = leaving === 'back';
    if (leaving === 'list') toList(question, sheet, options);
    else if (leaving === 'back') goBack(question, sheet);
  }
}

function step(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: DialogOptions): Promise<Went> {
  const { fields } = question;
  if (sheet.at < 0) return open(question, sheet, prompter, options);
  if (sheet.at >= fields.length) return review(question, sheet, prompter, options);
  if (sheet.listed) return fieldList(question, sheet, prompter, options);
  const before = fields[sheet.at - 1];
  return askField(fields[sheet.at]!, sheet, prompter, before ? { ...options, fieldBefore: nameOf(before) } : options);
}

function toList(question: FormQuestion, sheet: Sheet, { secrets }: FieldOptions): void {
  takeDefaults(question, sheet, secrets);
  [sheet.at, sheet.listed, sheet.backed] = [0, true, false];
}

/** Goes from the review to the list or the last field, and from a field to the previous one. */
function goBack({ fields }: FormQuestion, sheet: Sheet): void {
  sheet.at = sheet.listed && sheet.at < fields.length ? -1 : sheet.at - 1;
  if (sheet.at < 0) sheet.listed = false;
}

/** What was entered so far, and the form to go back to. */
function leave(question: FormQuestion, sheet: Sheet, { secrets, wayBack }: DialogOptions, to: string): Reply {
  takeDefaults(question, sheet, secrets);
  return { action: 'accept', content: { ...Object.fromEntries(sheet.answers), [wayBack!.name]: to } };
}

async function open(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: DialogOptions): Promise<Went> {
  const { signal, wayBack } = options;
  const ways = goBackTo(wayBack);
  const picks = opening(
    question,
    ways.map(({ pick }) => pick),
  );
  const first = await prompter.choose({ message: 'What do you want to do?', picks, signal });
  if (!first.answered) return 'back';
  const back = ways.find(({ pick }) => pick.value === first.value);
  if (back) return leave(question, sheet, options, back.to);
  if (first.value === 'list') return 'list';
  return first.value === 'dismiss' ? dismiss : first.value === 'decline' ? decline : 'on';
}

const opening = (question: FormQuestion, waysBack: readonly Pick[]): readonly Pick[] => [
  question.fields.length === 0
    ? { value: 'answer', label: 'Send answer', hint: 'there is nothing to fill in' }
    : { value: 'answer', label: 'Answer', hint: `${question.fields.length} to fill in; you see it before it is sent` },
  ...(isLong(question) ? [listPick] : []),
  ...waysBack,
  ...refusing,
];

async function review(question: FormQuestion, sheet: Sheet, prompter: Prompter, options: DialogOptions): Promise<Went> {
  const { fields } = question;
  const { answers } = sheet;
  const waysBack = goBackTo(options.wayBack);
  for (;;) {
    const lacking = unanswered(question, sheet);
    prompter.say([
      'Your answer:',
      ...fields.flatMap(field => answerLines(field, answers.get(field.name), options.secrets)),
      ...(lacking.length > 0 ? [`! Still required: ${lacking.map(nameOf).join(', ')}`] : []),
    ]);
    const next = await prompter.choose({
      message: lacking.length > 0 ? 'It cannot be sent yet.' : 'Send it?',
      picks: [
        ...(lacking.length > 0
          ? [{ value: 'fill', label: 'Fill in what is required' }]
          : [{ value: 'send', label: 'Send answer' }]),
        { value: 'change', label: 'Change something' },
        ...waysBack.map(({ pick }) => pick),
        ...refusing,
      ],
      signal: options.signal,
    });
    if (!next.answered) return 'back';
    if (next.value === 'dismiss') return dismiss;
    if (next.value === 'decline') return decline;
    const back = waysBack.find(({ pick }) => pick.value === next.value);
    if (back) return leave(question, sheet, options, back.to);
    if (next.value === 'send') return { action: 'accept', content: Object.fromEntries(answers) };
    if (isLong(question)) return 'list';
    const field = next.value === 'fill' ? lacking[0] : await whichField(question, sheet, prompter, options);
    const outcome = field ? await askField(field, sheet, prompter, options) : 'back';
    if (options.signal.aborted || prompter.starved) return 'back';
    sheet.backed = outcome === 'back';
  }
}

async function whichField(
  question: FormQuestion,
  sheet: Sheet,
  prompter: Prompter,
  { secrets, signal }: FieldOptions,
): Promise<AskedField | undefined> {
  const which = await prompter.choose({ message: 'Which one?', picks: fieldPicks(question, sheet, secrets), signal });
  return which.answered ? question.fields[Number(which.value)] : undefined;
}
