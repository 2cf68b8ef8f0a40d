/**
 * Secrets that a person types: recognized, warned about, and masked wherever they are shown again or stored. A form must not
 * ask for one (2025-11-25 and 2026-07-28, client/elicitation), but a server might. Pure.
 *
 * - secrets-S1 The server that asked gets what the person sent; everybody else gets the mask.
 */
import { type AskedField, isCardNumber, secretIn, secretInMessage } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import type { Ending, FormQuestion, Question } from './question.ts';

/**
 * Stands for a secret; says nothing about its length.
 * @example
 * ```ts
 * const shown = isSecret ? mask : value;
 * ```
 */
export const mask = '••••••••';

/** Our own words, for the field that asks. */
export const secretWarnings = {
  asked:
    'This server asks for a secret in a form. It should not: forms are not meant for passwords, keys, tokens or card numbers, and the answer may be logged. A server that needs one should open a page of its own. Decline unless you are sure.',
  typed: 'This looks like a card number. Forms are not meant for card numbers, and the answer may be logged.',
  argument: 'This looks like a secret, so it is masked here. The server gets it as you type it.',
} as const;

/**
 * Names of the fields that ask for a secret.
 * @param message - what the question says; absent if there is none, as for a tool's arguments
 * @example
 * ```ts
 * const secrets = secretNames(fields, 'Sign in to continue.');
 * ```
 */
export function secretNames(
  fields: readonly { readonly kind: string; readonly name: string }[],
  message?: string,
): ReadonlySet<string> {
  // If it is not a field of a question, such as a list, its name, title and description decide. JSON in an argument is shown: who
  // types it has to see its parts.
  const formFields = fields.filter((field): field is AskedField => message !== undefined || field.kind !== 'json');
  const secretFields = formFields.filter(field => secretIn(field) !== undefined).map(field => field.name);
  const inMessage = message !== undefined && secretInMessage(message, formFields) !== undefined;
  return new Set(inMessage ? formFields.map(field => field.name) : secretFields);
}

/**
 * The fields of a question that ask for a secret.
 * @example
 * ```ts
 * const isSecret = secretsOf(question).has('apiKey');
 * ```
 */
export const secretsOf = (question: FormQuestion): ReadonlySet<string> =>
  secretNames(question.fields, question.message);

/** Content with every secret in it masked. */
function maskedContent(
  question: FormQuestion,
  content: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const secrets = secretsOf(question);
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, secrets.has(name) || isCardNumber(value) ? mask : value]),
  );
}

/** How a question ended, for everybody but the one who asked. */
export function maskedEnding(question: Question, ending: Ending): Ending {
  if (question.kind !== 'form' || ending.how !== 'answered' || ending.content === undefined) return ending;
  return { ...ending, content: maskedContent(question, ending.content) };
}

/** How many levels are shown; anything nested deeper is not. */
const deepest = 20;

/**
 * A call's arguments with every secret in them masked, as far as names and values reveal them.
 * @example
 * ```ts
 * maskedArguments({ user: 'ada', password: 'hunter2' }); // { user: 'ada', password: '••••••••' }
 * ```
 */
export function maskedArguments(all: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return maskedMembers(all, 0, false);
}

/** @param secret - true below a name that stands for a secret */
function maskedMembers(
  all: Readonly<Record<string, unknown>>,
  depth: number,
  secret: boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      maskedValue(value, depth, secret || secretIn({ name }) !== undefined),
    ]),
  );
}

function maskedValue(value: unknown, depth: number, secret: boolean): unknown {
  if (typeof value === 'string' || typeof value === 'number') return secret || isCardNumber(value) ? mask : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return mask;
  if (Array.isArray(value)) return value.map(each => maskedValue(each, depth + 1, secret));
  return isRecord(value) ? maskedMembers(value, depth + 1, secret) : value;
}
