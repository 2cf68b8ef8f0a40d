/**
 * The formats of text that a form knows (2026-07-28 schema.json, `StringSchema.format`), with all that the forms of every side
 * know of them. A new format is one entry of the table; everything else, types included, reads it.
 */

/** What is known of one format. */
export interface FormatEntry {
  /** True if a text has the format, decided in linear time. */
  readonly fits: (text: string) => boolean;
  /** What is said of a text that has not, after the name of its field. */
  readonly says: string;
  /** How it is written. */
  readonly notation: string;
  /** A text that fits, for tests and samples. */
  readonly example: string;
  /** Other names for it, which libraries of schemas write. */
  readonly aliases?: readonly string[];
  /** The text that a person means, where it may be written in another way. */
  readonly read?: (text: string) => string;
  /** Its input on a page; absent if it has a control of its own. */
  readonly input?: {
    /** The input's `type` in HTML. */
    readonly type: string;
    /** What browsers may fill in; nothing if absent. */
    readonly autocomplete?: string;
    /** True if the browser shows how it is written. */
    readonly explains?: true;
  };
}

const table = {
  email: {
    fits: isEmail,
    says: 'must be an e-mail address, such as ada@example.com',
    notation: 'an e-mail address',
    example: 'ada@example.com',
    input: { type: 'email', autocomplete: 'email' },
  },
  uri: {
    fits: isUri,
    says: 'must be a full web address, such as https://example.com/page',
    notation: 'a full web address such as https://example.com/page',
    example: 'https://example.com/page',
    aliases: ['url'],
    read: inAscii,
    input: { type: 'url' },
  },
  date: {
    fits: isDate,
    says: 'must be a date that exists, written as 2026-12-31',
    notation: 'a date such as 2026-12-31',
    example: '2026-08-01',
    input: { type: 'date', explains: true },
  },
  // People write it as a local time and a zone, which ./parse-textual.ts reads; so pages and terminals have a control for it.
  'date-time': {
    fits: isDateTime,
    says: 'must be a date, time and time zone, written as 2026-12-31T18:30:00Z',
    notation: 'a date, time and time zone such as 2026-12-31T18:30:00Z',
    example: '2026-08-01T12:00:00Z',
    aliases: ['datetime'],
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

/** A format that forms know. */
export type TextFormat = keyof typeof table;

/** A format that is one input on a page. */
export type LineFormat = {
  [F in TextFormat]: (typeof table)[F] extends { readonly input: unknown } ? F : never;
}[TextFormat];

/** Each format by its name. */
export const textFormats: Readonly<Record<TextFormat, FormatEntry>> = table;

/** True if `format` is one that forms know. */
export const isTextFormat = (format: unknown): format is TextFormat =>
  typeof format === 'string' && Object.hasOwn(table, format);

/** True if `format` is one that is one input on a page. */
export const isLineFormat = (format: unknown): format is LineFormat =>
  isTextFormat(format) && textFormats[format].input !== undefined;

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

/** A web address with other letters in it, written in the ASCII that the wire's `uri` asks for. */
function inAscii(text: string): string {
  return /^https?:\/\/\S*$/i.test(text) && /[^\x21-\x7e]/.test(text) && URL.canParse(text) ? new URL(text).href : text;
}
