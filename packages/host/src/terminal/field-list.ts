/**
 * The fields of a form as a list to choose from, each with its answer: for forms that are too long to go through one by one.
 */
import type { AskedField } from '@midcall/core/form';
import type { FormQuestion } from '../index.ts';
import type { FieldOptions } from './ask-value.ts';
import { answerText, nameOf } from './field-lines.ts';
import type { Pick, Prompter } from './prompter.ts';
import { askField, type Sheet, unanswered } from './sheet.ts';

/** A form with more fields than this offers the list. */
const mostWalked = 8;

export const isLong = ({ fields }: FormQuestion): boolean => fields.length > mostWalked;

const review = 'review';

/** Takes the form's defaults as answers, as if the person had gone through it without changing anything. */
export function takeDefaults({ fields }: FormQuestion, { answers }: Sheet, secrets: ReadonlySet<string>): void {
  for (const { name, default: value } of fields)
    if (value !== undefined && !answers.has(name) && !secrets.has(name)) answers.set(name, value);
}

/** One entry for each field, by its place in the form; its answer is always visible, not only under the cursor. */
export const fieldPicks = (
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
  return empty ? String(fields.indexOf(empty)) : review;
}

/** Lets the person choose fields and answer them, until they ask to review the whole form. */
export async function fieldList(
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
        { value: review, label: 'Look at your answer', hint: 'then send it' },
        ...fieldPicks(question, sheet, options.secrets),
      ],
      initial: next(question, sheet, last),
      signal: options.signal,
    });
    if (!chosen.answered) return 'back';
    if (chosen.value === review) return 'on';
    last = fields[Number(chosen.value)]!;
    await askField(last, sheet, prompter, options);
    if (options.signal.aborted || prompter.starved) return 'back';
  }
}
