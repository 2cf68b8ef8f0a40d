/** A form, field by field, then a look at the whole before anything is sent. */
import { type Content, checkValue, type Field, labelOf, parseTextual, type WireValue } from '../../form/index.ts';
import { type FormQuestion, isLongText, type Reply, visible } from '../index.ts';
import { editText } from './edit-text.ts';
import type { Editor } from './editor.ts';
import { heading, quoted } from './frame.ts';
import { type Given, notGiven, type Pick, type Prompter, type TextPrompt } from './prompter.ts';
import { safePrompt } from './safe-prompt.ts';
import { decline, dismiss, refusing } from './ways-out.ts';

export interface FormDialogOptions {
  readonly signal: AbortSignal;
  /** The zone of a date and time written without one (IANA name); shown to the person. */
  readonly timeZone: string;
  /** For texts of several lines. */
  readonly editor: Editor | undefined;
}

type Answers = Map<string, WireValue>;

/** Asks one form. Giving nothing anywhere dismisses it. */
export async function formDialog(
  question: FormQuestion,
  prompter: Prompter,
  options: FormDialogOptions,
  start: { readonly answers?: Content; readonly problem?: string } = {},
): Promise<Reply> {
  const answers: Answers = new Map(Object.entries(start.answers ?? {}));
  if (start.problem === undefined) {
    prompter.say([...heading(question), ...quoted(question.message)]);
    const first = await prompter.choose({
      message: 'What do you want to do?',
      picks: opening(question),
      signal: options.signal,
    });
    if (!first.given || first.value === 'dismiss') return dismiss;
    if (first.value === 'decline') return decline;
    for (const field of question.fields) if (!(await askField(field, answers, prompter, options))) return dismiss;
  } else prompter.say([`! ${start.problem}`]);
  return question.fields.length === 0
    ? { action: 'accept', content: {} }
    : review(question, answers, prompter, options);
}

const opening = (question: FormQuestion): readonly Pick[] => [
  question.fields.length === 0
    ? { value: 'answer', label: 'Send answer', hint: 'there is nothing to fill in' }
    : { value: 'answer', label: 'Answer', hint: `${question.fields.length} to fill in; you see it before it is sent` },
  ...refusing,
];

async function review(
  question: FormQuestion,
  answers: Answers,
  prompter: Prompter,
  options: FormDialogOptions,
): Promise<Reply> {
  for (;;) {
    prompter.say(['Your answer:', ...question.fields.flatMap(field => answerLines(field, answers.get(field.name)))]);
    const next = await prompter.choose({
      message: 'Send it?',
      picks: [{ value: 'send', label: 'Send answer' }, { value: 'change', label: 'Change something' }, ...refusing],
      signal: options.signal,
    });
    if (!next.given || next.value === 'dismiss') return dismiss;
    if (next.value === 'decline') return decline;
    if (next.value === 'send') return { action: 'accept', content: Object.fromEntries(answers) };
    const picks = question.fields.map((field, index) => ({ value: String(index), label: nameOf(field) }));
    const which = await prompter.choose({ message: 'Which one?', picks, signal: options.signal });
    if (!which.given || !(await askField(question.fields[Number(which.value)]!, answers, prompter, options)))
      return dismiss;
  }
}

/** Asks one field and notes the answer. @returns false where nothing was given */
async function askField(
  field: Field,
  answers: Answers,
  prompter: Prompter,
  options: FormDialogOptions,
): Promise<boolean> {
  const asked = await askValue(field, answers.get(field.name) ?? field.default, prompter, options);
  if (!asked.given) return false;
  if (asked.value === undefined) answers.delete(field.name);
  else answers.set(field.name, asked.value);
  return true;
}

async function askValue(
  field: Field,
  initial: WireValue | undefined,
  prompter: Prompter,
  options: FormDialogOptions,
): Promise<Given<WireValue | undefined>> {
  const { signal } = options;
  const message = promptOf(field, options);
  switch (field.kind) {
    case 'boolean': {
      const picks = [{ value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }, ...leaveOut(field)];
      const start = initial === undefined ? (field.required ? 'false' : none) : String(initial);
      const given = await prompter.choose({
        message,
        picks: marked(picks, field, String(field.default)),
        initial: start,
        signal,
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
        ...(index >= 0 ? { initial: String(index) } : field.required ? {} : { initial: none }),
      });
      return given.given ? { given: true, value: field.choices[Number(given.value)]?.value } : notGiven;
    }
    case 'multi-select': {
      const values = (chosen: readonly string[]): readonly string[] =>
        chosen.map(each => field.choices[Number(each)]!.value);
      const start = field.choices.flatMap((choice, index) =>
        (initial as readonly string[] | undefined)?.includes(choice.value) ? [String(index)] : [],
      );
      const empty = (chosen: readonly string[]): boolean => chosen.length === 0 && !field.required;
      const validate = (chosen: readonly string[]): string | undefined =>
        empty(chosen) ? undefined : problem(checkValue(field, values(chosen)));
      const given = await prompter.chooseMany({ message, picks: picksOf(field), initial: start, validate, signal });
      return given.given ? { given: true, value: empty(given.value) ? undefined : values(given.value) } : notGiven;
    }
    default: {
      const read = (text: string) => parseTextual(field, text, { timeZone: options.timeZone });
      const validate = (text: string): string | undefined => {
        const result = read(text);
        return result.ok ? undefined : problem(result.issue);
      };
      const start: { initial?: string } = initial === undefined ? {} : { initial: String(initial) };
      const prompt = { message, validate, signal, ...start };
      const given = isLongText(field, start.initial ?? '')
        ? await editText(prompter, options.editor, prompt)
        : await askText(prompter, prompt);
      if (!given.given) return notGiven;
      const result = read(given.value);
      return { given: true, value: result.ok ? result.value : undefined };
    }
  }
}

async function askText(prompter: Prompter, asked: TextPrompt): Promise<Given<string>> {
  const { prompt, untouched } = safePrompt(asked, false);
  const given = await prompter.text(prompt);
  return given.given ? { given: true, value: untouched(given.value) } : notGiven;
}

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
        ...rule(field.minLength, `at least ${field.minLength} characters`),
        ...rule(field.maxLength, `at most ${field.maxLength} characters`),
        ...rule(field.pattern, `must match ${visible(field.pattern ?? '', { max: 100 })}`),
      ];
    case 'number':
      return [
        field.integer ? 'whole number' : 'number',
        ...rule(field.minimum, `from ${field.minimum}`),
        ...rule(field.maximum, `up to ${field.maximum}`),
      ];
    case 'multi-select':
      return [
        ...rule(field.minItems, `at least ${field.minItems}`),
        ...rule(field.maxItems, `at most ${field.maxItems}`),
      ];
    default:
      return [];
  }
}

function answerLines(field: Field, value: WireValue | undefined): readonly string[] {
  if (field.kind === 'text' && typeof value === 'string' && value.includes('\n'))
    return [`  ${nameOf(field)}:`, ...quoted(value, 4_000)];
  return [`  ${nameOf(field)}: ${shown(field, value)}`];
}

function shown(field: Field, value: WireValue | undefined): string {
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
