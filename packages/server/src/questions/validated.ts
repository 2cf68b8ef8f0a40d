/**
 * What the author's own code says of an answer that fits its form: the schema library, then `validate`. Each is asked once per
 * answer that arrives, and the journal records what it says. It may consult the outside world ("is this seat free?"), and the
 * handler may have changed the world by the next replay ("it is ours now"), so a replay trusts the record.
 *
 * If an answer is rejected, the person is asked again with their input as defaults and the message at its field. Secrets are not
 * repeated, since a question is shown and stored where its answer is masked.
 */

import { MidcallError } from '@midcall/core/errors';
import { type Checked, type Issue, isCardNumber, type Judging, secretIn } from '@midcall/core/form';
import { canonical, defined, isTexts, jsonLoss, lossText } from '@midcall/core/json';
import type { Json } from '../base/index.ts';
import type { Run } from '../engine/index.ts';
import type { CallRun } from './outgoing.ts';

/** A rejected answer, and why. */
export interface NotTaken {
  readonly issues: readonly Issue[];
  /** The person's input, by field. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/**
 * @param content - as the handler would get it
 * @param identity - distinguishes this answer from all others of the call
 * @returns what is wrong, or undefined
 */
export async function validated(
  run: Pick<CallRun, 'step'>,
  { message, validate }: { readonly message: string; validate?(content: never): unknown },
  content: unknown,
  identity: unknown,
): Promise<readonly Issue[] | undefined> {
  if (!validate) return undefined;
  const work = { run: async () => issuesIn(await validate(content as never)), idempotent: true };
  const recorded = await run.step(message, () => work, { kind: 'check', identity: [identity, 'validate'] });
  const issues = recorded as unknown as readonly Issue[];
  return issues.length > 0 ? issues : undefined;
}

/** Longer texts are cut. */
const longestMessage = 500;

/**
 * @throws TypeError for a result that is neither a text nor a text per field; an empty text does not say whether anything is
 *   wrong
 */
function issuesIn(problem: unknown): readonly Issue[] {
  if (problem === undefined || problem === null) return [];
  if (isText(problem)) return [{ rule: 'validate', message: cut(problem, longestMessage) }];
  const byField =
    typeof problem === 'object' ? Object.entries(problem).filter(([, each]) => each !== undefined) : undefined;
  if (!byField?.every((each): each is [string, string] => isText(each[1]))) {
    throw new TypeError(
      'validate must return nothing, a string, or an object with a string for each field that is wrong.',
    );
  }
  return byField.map(([field, message]) => ({ field, rule: 'validate', message: cut(message, longestMessage) }));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
/** A text of at most so many characters; of a longer one, its end is left out. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** The content of an accept as it came, by field. */
export const typedIn = (got: unknown): NotTaken['typed'] => {
  const content = (got as { readonly content?: unknown } | null)?.content;
  return typeof content === 'object' && content !== null ? (content as Readonly<Record<string, unknown>>) : {};
};

/** A schema that shows each message at its field, above its description, and the person's input as its default. */
export function withProblems<S extends object>(schema: S, { issues, typed }: NotTaken): S {
  const fields = (schema as { readonly properties: Readonly<Record<string, FieldSchema>> }).properties;
  const properties = Object.entries(fields).map(([name, property]) => {
    const messages = issues.filter(({ field }) => field === name).map(({ message }) => message);
    const texts = [...messages, ...(property.description === undefined ? [] : [property.description])].join(' ');
    const description = messages.length > 0 ? { description: texts } : {};
    const before = Object.hasOwn(typed, name) ? typed[name] : undefined;
    const isReusable = fits(property.type, before) && !isSecret(name, property, before);
    return [name, { ...property, ...description, ...(isReusable && { default: before }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

interface FieldSchema {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
}

/** A form that asks for a card number is rejected; a person may type one anyway. */
function isSecret(name: string, { type, title, description }: FieldSchema, value: unknown): boolean {
  if (type === 'boolean' || type === 'array') return false;
  return isCardNumber(value) || secretIn({ name, ...defined({ title, description }) }) !== undefined;
}

/** A host may send a number as text, which its own schema does not take back. */
function fits(type: unknown, value: unknown): boolean {
  if (type === 'array') return isTexts(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** As stored in the journal; content that the library left unchanged is not stored twice. */
type Recorded =
  | { readonly ok: true; readonly same: true }
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * What the schema library of a form says of an answer: asked once, and recorded.
 * @param message - the question, for error texts
 * @param identity - distinguishes this answer from all others of the call
 */
export const recordedCheck =
  (run: Pick<Run<unknown>, 'step'>, message: string, identity: unknown): Judging =>
  async (judge, content) => {
    const recorded = (await run.step(
      message,
      () => ({ run: async () => asRecord(await judge(), content), idempotent: true }),
      { kind: 'check', identity },
    )) as unknown as Recorded;
    if (!recorded.ok) return recorded;
    return { ok: true, value: 'same' in recorded ? content : recorded.value };
  };

/** @throws MidcallError `form/unsupported` if the library made something of the answer that JSON would lose */
function asRecord(checked: Checked<unknown>, content: unknown): Recorded {
  if (!checked.ok) return checked;
  const { value } = checked;
  const loss = jsonLoss(value, 'content', { asItIs: true });
  if (loss) {
    throw new MidcallError(
      'form/unsupported',
      `The schema of this form makes ${lossText({ ...loss, instead: 'Leave the field as it is there, and convert it in the handler.' })}`,
    );
  }
  if (value === undefined) return { ok: true };
  return canonical(value) === canonical(content) ? { ok: true, same: true } : { ok: true, value: value as Json };
}
