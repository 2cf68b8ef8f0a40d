/** A field and its answer in words. Pure. */
import { type AskedField, isCardNumber, labelOf, type TextFormat, textFormats } from '@midcall/core/form';
import { mask, saidAlready, spelledMoment, spelledNumber, visible, writtenMoment } from '../index.ts';
import { quoted } from './frame.ts';

/** The label of a field. */
export const nameOf = (field: AskedField): string => visible(labelOf(field), { max: 100 });

/** A field as a question: its name, what it accepts, and what it is about. @param options - `timeZone`: an IANA name */
export function promptOf(field: AskedField, options: { readonly timeZone: string }): string {
  const unchecked = field.unchecked?.length
    ? [`not checked here: ${visible(field.unchecked.join(', '), { max: 200 })}`]
    : [];
  const rules = [field.required ? 'required' : 'optional', ...rulesOf(field, options), ...unchecked].join(', ');
  const about = field.description === undefined ? '' : ` — ${visible(field.description, { max: 500 })}`;
  return `${nameOf(field)} (${rules})${about}`;
}

function rulesOf(field: AskedField, options: { readonly timeZone: string }): readonly string[] {
  const rule = (value: unknown, text: string): readonly string[] => (value === undefined ? [] : [text]);
  switch (field.kind) {
    case 'text':
      return [
        ...(field.format === undefined ? [] : [formatRule(field.format, options.timeZone)]),
        ...unsaid(field, field.minLength, field.maxLength, 'characters', [
          ...rule(field.minLength, `at least ${characters(field.minLength)}`),
          ...rule(field.maxLength, `at most ${characters(field.maxLength)}`),
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
    case 'json':
      return [field.shape === '' ? 'any JSON' : `JSON that fits ${visible(field.shape, { max: 400 })}`];
    default:
      return [];
  }
}

/** How a text is written; a date and time as it is read here. */
function formatRule(format: TextFormat, timeZone: string): string {
  if (format === 'date-time') return `a date and time such as 2026-12-31 18:30, in ${timeZone} unless you write a zone`;
  return textFormats[format].notation;
}

const characters = (count: number | undefined): string => `${count} ${count === 1 ? 'character' : 'characters'}`;

/** Limits that the field's own description does not state. */
const unsaid = (
  { description }: AskedField,
  min: number | undefined,
  max: number | undefined,
  of: 'characters' | 'choices' | 'number',
  rules: readonly string[],
): readonly string[] => (saidAlready(description, min, max, of) ? [] : rules);

/** A field with its answer, secrets masked. */
export function answerLines(field: AskedField, value: unknown, secrets: ReadonlySet<string>): readonly string[] {
  if (field.kind === 'text' && typeof value === 'string' && value.includes('\n') && !isMasked(field, value, secrets))
    return [`  ${nameOf(field)}:`, ...quoted(value, 4_000)];
  return [`  ${nameOf(field)}: ${answerText(field, value, secrets)}`];
}

const isMasked = (field: AskedField, value: unknown, secrets: ReadonlySet<string>): boolean =>
  value !== undefined && (secrets.has(field.name) || isCardNumber(value));

/** An answer in one line, secrets masked. */
export function answerText(field: AskedField, value: unknown, secrets: ReadonlySet<string>): string {
  if (isMasked(field, value, secrets)) return mask;
  if (value === undefined) return '(no answer)';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (field.kind === 'select' || field.kind === 'multi-select') {
    const title = (each: unknown): string => field.choices.find(choice => choice.value === each)?.title ?? String(each);
    return visible([value].flat().map(title).join(', '), { max: 500 });
  }
  if (field.kind === 'json') return visible(JSON.stringify(value), { max: 500 });
  const moment = writtenMoment(field, value);
  const spelled = moment ? spelledMoment(moment) : typeof value === 'number' ? spelledNumber(value) : String(value);
  return `${visible(String(value), { max: 500 })}${spelled === String(value) ? '' : ` (${spelled})`}`;
}
