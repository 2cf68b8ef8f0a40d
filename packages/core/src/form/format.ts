/**
 * The four formats of the restricted schema (2026-07-28 schema.json, `StringSchema.format`), each decided in linear time.
 */
import type { TextField } from './field.ts';

/** A format the wire knows. */
export type TextFormat = NonNullable<TextField['format']>;

const formats: ReadonlySet<string> = new Set<TextFormat>(['email', 'uri', 'date', 'date-time']);

/** True if `format` is one the wire knows. */
export function isTextFormat(format: unknown): format is TextFormat {
  return typeof format === 'string' && formats.has(format);
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True for a day that exists in the proleptic Gregorian calendar: RFC 3339 `full-date`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= (monthDays[month - 1] ?? 0) + (leap ? 1 : 0);
}

const timeOfDay = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** True for an RFC 3339 `date-time`: a real day, a real time and an offset. A leap second stands only at 23:59:60 UTC. */
export function isDateTime(text: string): boolean {
  if (text.length > 100 || (text[10] !== 'T' && text[10] !== 't') || !isDate(text.slice(0, 10))) return false;
  const match = timeOfDay.exec(text.slice(11));
  if (!match) return false;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (offsetHour * 60 + offsetMinute) * (match[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 2_880) % 1_440 === 1_439;
}

const letter = 'A-Za-z0-9\\u00a1-\\u{10ffff}';
const atom = `[${letter}!#$%&'*+/=?^_\`{|}~-]+`;
const domainLabel = `[${letter}](?:[${letter}-]{0,61}[${letter}])?`;
const address = new RegExp(`^${atom}(?:\\.${atom})*@(?:${domainLabel}\\.)+${domainLabel}$`, 'u');
const unseen = /[\p{Cc}\p{Cf}\p{Z}\p{Cs}]/u;

/** True for an address a mail server would take: dot-atom local part, dotted domain. No comments, quotes or IP literals. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && text.indexOf('@') <= 64 && address.test(text) && !unseen.test(text);
}

const uriCharacters = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const hierarchical = /^(?:https?|wss?|ftp):/i;

/** True for an absolute URI of RFC 3986. Web addresses must also name a host. */
export function isUri(text: string): boolean {
  if (!uriCharacters.test(text)) return false;
  return !hierarchical.test(text) || (/^[a-z]+:\/\/[^/?#]/i.test(text) && URL.canParse(text));
}

/** True if `text` has the format. */
export function hasFormat(format: TextFormat, text: string): boolean {
  switch (format) {
    case 'email':
      return isEmail(text);
    case 'uri':
      return isUri(text);
    case 'date':
      return isDate(text);
    case 'date-time':
      return isDateTime(text);
  }
}
