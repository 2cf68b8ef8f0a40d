/** Every outcome of one question: an accept for each boundary value of its form, and every way not to accept. */
import { type AskedField, isWayBack, textFormats } from '@midcall/core/form';
import { checkAsked, readAskedForm } from '@midcall/core/json-schema';
import { pageIn } from '../finish-page.ts';

/** A question as it crossed the wire. */
export interface ExploredQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What the person reads, shortened. */
  readonly words: string;
}

/** What happens to a question. */
export interface ExploredOutcome {
  readonly kind:
    | 'accept'
    | 'decline'
    | 'dismiss'
    | 'timeout'
    | 'disconnect'
    | 'invalid'
    /** The person agrees to open a page, and does not finish it. */
    | 'unfinished'
    /** Accepted, and delivered a second time. */
    | 'replayed'
    /** The person refuses to let the model be used; 2025-11-25 only. */
    | 'refuse';
  /** For a report. */
  readonly label: string;
  /** The wire result; absent if nothing is answered. */
  readonly reply?: Readonly<Record<string, unknown>>;
  /** What the person does on the page that the question leads to. */
  readonly onPage?: 'finish' | 'decline' | 'leave';
}

/**
 * A good answer, if the form alone does not determine it, such as a code that must exist; for a page, what is entered, by the names
 * of its inputs.
 */
export type Answering = (question: ExploredQuestion) => Readonly<Record<string, unknown>> | undefined;

export interface Outcomes {
  /** The first is a good accept, which leads furthest. */
  readonly list: readonly ExploredOutcome[];
  /** Accepts that lie on a boundary and were left out. */
  readonly leftOut: readonly string[];
}

const mostChoices = 5;
const longText = 2_000;

export function readQuestion(method: string, params: Readonly<Record<string, unknown>>): ExploredQuestion {
  const message = typeof params['message'] === 'string' ? params['message'] : method;
  const line = withoutPage(message).replaceAll(/\s+/g, ' ');
  return { method, params, words: line.length > 60 ? `${line.slice(0, 59)}…` : line };
}

/** A text without the address of a page and its one-time code, which differ every time and must not be reported. */
export const withoutPage = (text: string): string =>
  text
    .replaceAll(/\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, '····-····')
    .replaceAll(/https?:\/\/[^\s/"]+(?:\/[^\s/"]+)*\/[\w-]{32}(?![\w-])/g, '(a page)');

export function outcomesOf(question: ExploredQuestion, answering: Answering | undefined): Outcomes {
  if (question.method === 'sampling/createMessage') return { list: samplingOutcomes(question, answering), leftOut: [] };
  if (leadsToPage(question)) return { list: pageOutcomes(question), leftOut: [] };
  const form = readAskedForm(question.params);
  const fields = form.ok ? form.fields : [];
  const base = { ...fittingContent(fields), ...answering?.(question) };
  const leftOut: string[] = [];
  const variants = fields.flatMap(field => {
    const { values, left } = boundaries(field);
    if (left > 0) leftOut.push(`${left} of the choices of '${field.name}' in "${question.words}"`);
    const others = values.filter(value => JSON.stringify(value) !== JSON.stringify(base[field.name]));
    const changed = others.map(value => ({ field: field.name, content: { ...base, [field.name]: value } }));
    const { [field.name]: current, ...without } = base;
    return field.required || current === undefined ? changed : [...changed, { field: field.name, content: without }];
  });
  const accepts = variants
    .filter(({ content }) => checkAsked(fields, content, form.ok ? form.schema : undefined).ok)
    .map(({ field, content }): ExploredOutcome => {
      const label = `accept with ${field} ${inBrief((content as Record<string, unknown>)[field])}`;
      return { kind: 'accept', label, reply: { action: 'accept', content } };
    });
  const [first] = fields;
  // A value that the wire allows, and that fits no kind of field.
  const misfit = first && { ...base, [first.name]: ['no answer to this'] };
  return { list: around({ action: 'accept', content: base }, accepts, misfit), leftOut };
}

function around(
  reply: Readonly<Record<string, unknown>>,
  accepts: readonly ExploredOutcome[],
  misfit?: Readonly<Record<string, unknown>>,
): ExploredOutcome[] {
  return [
    { kind: 'accept', label: 'accept', reply },
    { kind: 'decline', label: 'decline', reply: { action: 'decline' } },
    { kind: 'dismiss', label: 'dismiss', reply: { action: 'cancel' } },
    { kind: 'timeout', label: 'timeout' },
    { kind: 'disconnect', label: 'disconnect' },
    ...(misfit
      ? [
          {
            kind: 'invalid' as const,
            label: 'an answer that does not fit',
            reply: { action: 'accept', content: misfit },
          },
        ]
      : []),
    { kind: 'replayed', label: 'accept, delivered twice', reply },
    ...accepts,
  ];
}

/** True for the question with which the person has all they need for a page: its link, and its code if it has one. */
function leadsToPage({ params }: ExploredQuestion): boolean {
  const { url, code, codeFollows } = pageIn(params);
  return !codeFollows && (url ?? code) !== undefined;
}

function pageOutcomes({ params }: ExploredQuestion): ExploredOutcome[] {
  const reply = { action: 'accept', ...(params['mode'] !== 'url' && { content: {} }) };
  const outcomes = around(reply, []).map(
    (outcome): ExploredOutcome =>
      outcome.reply === reply
        ? { ...outcome, label: outcome.label.replace('accept', 'finish the page'), onPage: 'finish' }
        : outcome,
  );
  return [
    ...outcomes,
    { kind: 'decline', label: 'decline on the page', reply, onPage: 'decline' },
    { kind: 'unfinished', label: 'agree to the page, and leave it unfinished', reply, onPage: 'leave' },
  ];
}

function samplingOutcomes(question: ExploredQuestion, answering: Answering | undefined): ExploredOutcome[] {
  const reply = answering?.(question) ?? {
    role: 'assistant',
    content: { type: 'text', text: 'A reply.' },
    model: 'explored',
    stopReason: 'endTurn',
  };
  return [
    { kind: 'accept', label: 'reply', reply },
    { kind: 'refuse', label: 'refuse' },
    { kind: 'timeout', label: 'timeout' },
    { kind: 'disconnect', label: 'disconnect' },
    { kind: 'replayed', label: 'reply, delivered twice', reply },
  ];
}

/**
 * Content that fits a form, as far as its fields tell: every field filled in, every yes-or-no field true.
 * @example
 * ```ts
 * const content = fittingContent(fields); // every field filled in
 * ```
 */
export function fittingContent(fields: readonly AskedField[]): Record<string, unknown> {
  const answered = fields.filter(field => !isWayBack(field));
  return Object.fromEntries(answered.map(field => [field.name, good(field)]));
}

function good(field: AskedField): unknown {
  if (field.kind === 'boolean') return true;
  if (field.default !== undefined) return field.default;
  switch (field.kind) {
    case 'text':
      return field.format ? textFormats[field.format].example : sized('Some words', field);
    case 'number':
      return inRange(field, 1);
    case 'select':
      return field.choices[0]?.value;
    case 'multi-select':
      return field.choices.slice(0, Math.max(1, field.minItems ?? 1)).map(choice => choice.value);
    case 'json':
      return {};
  }
}

function boundaries(field: AskedField): { readonly values: readonly unknown[]; readonly left: number } {
  const all = (values: readonly unknown[], left = 0) => ({ values, left });
  switch (field.kind) {
    case 'json':
      return all([]);
    case 'boolean':
      return all([true, false]);
    case 'number':
      return all([
        ...new Set([
          inRange(field, field.minimum ?? -1_000_000),
          inRange(field, 0),
          inRange(field, field.maximum ?? 1_000_000),
        ]),
      ]);
    case 'text':
      if (field.format) return all([]);
      return all(['x'.repeat(field.minLength ?? 0), 'é'.repeat(Math.min(field.maxLength ?? longText, longText))]);
    case 'select': {
      const { choices } = field;
      const firstChoices =
        choices.length <= mostChoices ? choices : [...choices.slice(0, mostChoices - 1), choices.at(-1)!];
      return all(
        firstChoices.map(choice => choice.value),
        choices.length - firstChoices.length,
      );
    }
    case 'multi-select': {
      const values = field.choices.map(choice => choice.value);
      return all([values.slice(0, field.minItems ?? 0), values.slice(0, field.maxItems ?? values.length)]);
    }
  }
}

function inRange(field: { readonly minimum?: number; readonly maximum?: number }, value: number): number {
  return Math.min(Math.max(value, field.minimum ?? -Infinity), field.maximum ?? Infinity);
}

function sized(text: string, field: { readonly minLength?: number; readonly maxLength?: number }): string {
  return text.padEnd(field.minLength ?? 0, 'x').slice(0, field.maxLength ?? Infinity);
}

function inBrief(value: unknown): string {
  if (value === undefined) return 'left empty';
  if (typeof value === 'string' && value.length > 20) return `of ${value.length} characters`;
  return JSON.stringify(value);
}
