/**
 * Whether a field asks for a secret: passwords, API keys, access tokens, payment credentials, one-time codes (2026-07-28,
 * client/elicitation: a server MUST NOT request them by form).
 *
 * Only a field that takes free text or a number can: picking from a list or saying yes reveals none. Name, title and
 * description are cut into words and searched for the phrases of `secret-words.ts`. A phrase counts unless the words
 * around it say that something about the secret is meant, not the secret: `token_count`, `password policy`, "name of the
 * API key". A description or a message must besides ask for it ("Enter …", "Your …"), since it may mention what it does not want.
 */
import { MidcallError } from '../errors/index.ts';
import type { AskedField, Field } from './field.ts';
import {
  aboutAfter,
  aboutBefore,
  asking,
  negation,
  preposition,
  type SecretKind,
  secretPhrases,
  unspaced,
} from './secret-words.ts';

export type { SecretKind } from './secret-words.ts';

/** Why a field counts as asking for a secret. */
export interface Secret {
  readonly kind: SecretKind;
  readonly where: 'name' | 'title' | 'description' | 'message' | 'format';
  /** The words that ask for it. */
  readonly words: string;
}

/** What is checked; a field without a `kind` counts as text. */
export type Asking = Pick<AskedField, 'name' | 'title' | 'description' | 'unchecked'> & {
  readonly kind?: AskedField['kind'];
};

/** The secret a field asks for, or undefined. */
export function secretIn(field: Asking): Secret | undefined {
  const takesWords = field.kind === undefined || field.kind === 'text' || field.kind === 'json';
  if (!takesWords && field.kind !== 'number') return undefined;
  if (field.unchecked?.includes("format 'password'")) return { kind: 'password', where: 'format', words: 'password' };
  return (
    find('name', words(field.name)) ??
    (field.title === undefined ? undefined : find('title', words(field.title))) ??
    (field.description === undefined ? undefined : findInSentences('description', field.description))
  );
}

/** The secret that a message asks for, if its form has one question with neither title nor description. */
export function secretInMessage(message: string, fields: readonly AskedField[]): Secret | undefined {
  const [only, ...others] = fields;
  if (!only || others.length > 0 || (only.kind !== 'text' && only.kind !== 'number')) return undefined;
  return only.title === undefined && only.description === undefined ? findInSentences('message', message) : undefined;
}

/** Lower-case words without accents and without invisible characters: `accessToken`, `access_token` and `Accès-Token` give the same list. */
function words(text: string): readonly string[] {
  if (/^[a-z]+$/.test(text)) return [text];
  const folded = text
    .slice(0, longest)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase();
  return folded.match(/\p{L}+|\p{N}+/gu) ?? [];
}

const near = 6;
const longest = 20_000;

function findInSentences(where: 'description' | 'message', text: string): Secret | undefined {
  for (const sentence of text.slice(0, longest).split(/[.!?;\n]+/)) {
    const secret = find(where, words(sentence));
    if (secret) return secret;
  }
  return undefined;
}

function find(where: Exclude<Secret['where'], 'format'>, list: readonly string[]): Secret | undefined {
  let requested = false;
  for (let at = 0; at < list.length; at += 1) {
    requested ||= saysSo(list, at - 1);
    const script = unspaced.find(each => list[at]!.includes(each.text));
    if (script) return { kind: script.kind, where, words: script.text };
    for (const phrase of secretPhrases.get(list[at]!) ?? []) {
      const end = at + phrase.words.length;
      if (!phrase.words.every((word, index) => list[at + index] === word)) continue;
      if (phrase.alone && end < list.length && !preposition.has(list[end]!) && !/^\d+$/.test(list[end]!)) continue;
      if (phrase.notAfter?.some(word => list[at - 1] === word)) continue;
      if (
        requested ||
        aboutIt(list, at, end) ||
        ((where === 'description' || where === 'message') && !isAsked(list, at))
      )
        continue;
      return { kind: phrase.kind, where, words: phrase.words.join(' ') };
    }
  }
  return undefined;
}

/** True if the words beside it say that a property of the secret is meant. */
function aboutIt(list: readonly string[], at: number, end: number): boolean {
  return (end < list.length && aboutAfter.has(list[end]!)) || (at > 0 && aboutBefore.has(list[at - 1]!));
}

/** True for a word after which no secret is asked for: a negation, or `name of …`. */
function saysSo(list: readonly string[], at: number): boolean {
  if (at < 0) return false;
  return negation.has(list[at]!) || (at > 0 && preposition.has(list[at]!) && aboutAfter.has(list[at - 1]!));
}

/** True if a sentence asks for what stands at `at`: it begins with it, or an asking word is near and no preposition between. */
function isAsked(list: readonly string[], at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    if (at - index > near) return false;
    if (asking.has(list[index]!)) return true;
    if (preposition.has(list[index]!)) return false;
  }
  return true;
}

/** @throws MidcallError `form/secret` if the field asks for a secret */
export function refuseSecret(field: Field): void {
  const secret = secretIn(field);
  if (secret) throw refusal(field.name, secret);
}

/**
 * A form with a single question without any text of its own is asked by the message, so the two are checked together.
 * @throws MidcallError `form/secret` if such a message asks for a secret
 */
export function refuseSecretMessage(message: string, fields: readonly AskedField[]): void {
  const secret = secretInMessage(message, fields);
  if (secret) throw refusal(fields[0]!.name, secret);
}

function refusal(name: string, { kind, where, words }: Secret): MidcallError {
  return new MidcallError(
    'form/secret',
    `Field '${name}' asks for a secret: its ${where} says '${words}' (${kind}). A form must not ask for passwords, keys, ` +
      'tokens or payment credentials: use URL mode (elicitUrl), where the answer does not pass through the client.',
  );
}

/** 13 to 19 digits, possibly in groups, that begin like the card networks' numbers. */
const shape = /^(?:3[0-9]|4|5[0-9]|6[0-9]|2[2-7])[0-9]*$/;

/**
 * True if a value is the number of a payment card, whatever the field is called.
 * @param value - the input; a number is read by its digits
 */
export function isCardNumber(value: unknown): boolean {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > 40) return false;
  const trimmed = text.trim();
  if (!/^[0-9]+(?:[ -][0-9]+)*$/.test(trimmed)) return false;
  const digits = trimmed.replace(/[ -]/g, '');
  return digits.length >= 13 && digits.length <= 19 && shape.test(digits) && hasCheckDigit(digits);
}

/** ISO/IEC 7812-1, annex B (Luhn). */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
