/** Dates, times and numbers that forms hold, as people read them. */
import type { AskedField } from '@midcall/core/form';
import { dateFormat } from '@midcall/core/time';

/** A date or a time as it is written in a value, whatever its zone. */
export interface WrittenMoment {
  /** What its calendar and its clock show, as if it were UTC, in milliseconds since the epoch. */
  readonly wall: number;
  readonly style: 'day' | 'moment' | 'second';
}

/** How each style is formatted. */
export const momentStyles: Readonly<Record<WrittenMoment['style'], Intl.DateTimeFormatOptions>> = {
  day: { dateStyle: 'medium' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
};

const written = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/i;

/** The moment that is the value of a field for dates or times; undefined if it is none, such as the 31st of February. */
export function writtenMoment(
  field: Pick<AskedField, 'kind'> & { readonly format?: unknown },
  value: unknown,
): WrittenMoment | undefined {
  if (field.kind !== 'text' || typeof value !== 'string') return undefined;
  const [, day, time, seconds = ':00'] = written.exec(value) ?? [];
  if (day === undefined || field.format !== (time === undefined ? 'date' : 'date-time')) return undefined;
  const wall = Date.parse(`${day}T${time ?? '00:00'}${seconds}Z`);
  // The platform takes the days of a month to be 31, and goes on in the next.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(day)) return undefined;
  return { wall, style: time === undefined ? 'day' : seconds === ':00' ? 'moment' : 'second' };
}

/** A moment in British English, for views that do not know the person's format. */
export const spelledMoment = ({ wall, style }: WrittenMoment): string =>
  dateFormat('en-GB', { ...momentStyles[style], timeZone: 'UTC' }).format(wall);

let format: Intl.NumberFormat | undefined;

/** A number in British English, for where the person's format is not known, with all its digits. */
export function spelledNumber(value: number): string {
  format ??= new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 21 });
  return format.format(value);
}
