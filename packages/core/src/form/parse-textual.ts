/** Converts text from an HTML form or a terminal to the typed value of a field. */

import { spelledOffset, zoneOffset } from '../time/index.ts';
import { checkValue, decimal, type WireValue } from './check-content.ts';
import { type Field, type Issue, issue } from './field.ts';
import { isDateTime, type TextFormat, textFormats } from './format.ts';

/** The result of {@link parseTextual}; `value` is undefined if an optional field was left empty. */
export type Textual =
  | { readonly ok: true; readonly value: WireValue | undefined }
  | { readonly ok: false; readonly issue: Issue };

/** How text is read. */
export interface TextualOptions {
  /** The zone of a date and time written without one, as an IANA name or an offset. Show it to the person. */
  readonly timeZone?: string;
}

/**
 * Reads one field and checks it. Empty means not answered, and a field without an answer is omitted: an unticked box says "no"
 * only if the view posts a `false` beside it, so that a default is never taken for an answer.
 * @param raw - as posted. Several values: the last counts for a yes-or-no field, all of them for a multi-select, and for a
 *   date-time they are the local time and its zone
 */
export function parseTextual(
  field: Field,
  raw: string | readonly string[] | undefined,
  options: TextualOptions = {},
): Textual {
  const values = raw === undefined ? [] : typeof raw === 'string' ? [raw] : raw;
  const read = readTextual(field, values, options);
  if (!read.ok) return read;
  if (read.value === undefined) {
    return field.required ? { ok: false, issue: issue(field, 'required', 'is required') } : read;
  }
  const problem = checkValue(field, read.value);
  return problem ? { ok: false, issue: problem } : read;
}

const yes = new Set(['true', 'yes', 'y', 'on', '1']);
const no = new Set(['false', 'no', 'n', 'off', '0']);

function readTextual(field: Field, values: readonly string[], options: TextualOptions): Textual {
  const nothing: Textual = { ok: true, value: undefined };
  const last = values.at(-1) ?? '';
  switch (field.kind) {
    case 'boolean': {
      const word = last.trim().toLowerCase();
      if (word === '') return nothing;
      if (yes.has(word)) return { ok: true, value: true };
      return no.has(word) ? { ok: true, value: false } : wrong(field, 'must be yes or no');
    }
    case 'number': {
      const text = last.trim();
      if (text === '') return nothing;
      if (text.length > 400 || !decimal.test(text)) {
        return wrong(field, `must be a ${field.integer ? 'whole number, such as 3' : 'number, such as 2.5'}`);
      }
      return { ok: true, value: Number(text) };
    }
    case 'select': {
      const offered = field.choices.some(choice => choice.value === last);
      return last === '' && !offered ? nothing : { ok: true, value: last };
    }
    case 'multi-select': {
      const picked = values.filter(each => each !== '' || field.choices.some(choice => choice.value === ''));
      return picked.length === 0 && !field.required ? nothing : { ok: true, value: picked };
    }
    case 'text':
      return field.format === undefined
        ? last === ''
          ? nothing
          : { ok: true, value: last.replace(/\r\n?/g, '\n') }
        : readFormatted(field, field.format, values, options);
  }
}

function readFormatted(field: Field, format: TextFormat, values: readonly string[], options: TextualOptions): Textual {
  const text = (values[0] ?? '').trim();
  if (text === '') return { ok: true, value: undefined };
  const { fits, read } = textFormats[format];
  if (format !== 'date-time' || (values.length === 1 && fits(text)))
    return { ok: true, value: read ? read(text) : text };
  const zone = values[1]?.trim() || options.timeZone;
  const zoned = zonedDateTime(text, zone);
  if (zoned !== undefined) return { ok: true, value: zoned };
  const missing = zonedDateTime(text, 'Z') !== undefined && zone === undefined;
  const says = missing
    ? 'needs a time zone, such as Z, +02:00 or Europe/Berlin'
    : 'must be a date and time that exist, written as 2026-12-31 18:30 and a time zone';
  return { ok: false, issue: issue(field, 'format', says) };
}

const wrong = (field: Field, says: string): Textual => ({ ok: false, issue: issue(field, 'type', says) });

/** A local date and time, as people and `datetime-local` inputs write it, with or without its zone. */
const local =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt]| +)(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(?: *([Zz]|[+-]\d{2}:\d{2}|[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*))?$/;
const offset = /^(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * RFC 3339 for `text`, which may carry its own zone.
 * @param zone - where `text` carries none: `Z`, an offset such as `+02:00`, or an IANA name such as `Europe/Berlin`
 * @returns undefined if the text is no date and time, the zone is missing or unknown, or the hour is skipped there by
 *   daylight saving; an hour that comes twice is the earlier one
 */
export function zonedDateTime(text: string, zone?: string): string | undefined {
  if (text.length > 100) return undefined;
  const match = local.exec(text.trim());
  if (!match) return undefined;
  const wall = `${match[1]}T${match[2]}${match[3] ?? ':00'}`;
  const offsetOrZone = match[4] ?? zone;
  if (offsetOrZone === undefined || !isDateTime(`${wall}Z`)) return undefined;
  const suffix = offset.test(offsetOrZone) ? offsetOrZone.toUpperCase() : offsetAt(wall, offsetOrZone);
  if (suffix === undefined) return undefined;
  const whole = `${wall}${suffix}`;
  return isDateTime(whole) ? whole : undefined;
}

/** The offset of an IANA zone at a wall-clock time. */
function offsetAt(wall: string, zone: string): string | undefined {
  const utc = Date.parse(`${wall}Z`);
  // The offset is the one a day before or a day after: a zone changes at most once in that time.
  for (const instant of [utc - 86_400_000, utc + 86_400_000]) {
    const minutes = zoneOffset(instant, zone);
    if (minutes === undefined) return undefined;
    if (zoneOffset(utc - minutes * 60_000, zone) === minutes) return spelledOffset(minutes);
  }
  return undefined;
}
