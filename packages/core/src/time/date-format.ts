/** Dates and time zones, by the platform's own tables. */

/**
 * Each formatter is made once and reused: one holds tens of kilobytes outside the JavaScript heap, which the garbage collector does
 * not count.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A zone can be written in many ways; beyond this number, the oldest formatter is dropped. */
const mostCached = 64;

/**
 * @param locale - such as `en-GB`
 * @param options - as for `Intl.DateTimeFormat`; the same ones give the same formatter
 * @throws RangeError for a locale or a time zone the platform does not know
 */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const cached = formats.get(key);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat(locale, options);
  const [oldest] = formats.keys();
  if (formats.size >= mostCached && oldest !== undefined) formats.delete(oldest);
  formats.set(key, format);
  return format;
}

/** The time zone of this machine, by IANA name. */
export const machineZone = (): string => dateFormat('en', {}).resolvedOptions().timeZone;

/**
 * How far a time zone is from UTC.
 * @param at - milliseconds since the epoch
 * @param zone - an IANA name, such as `Europe/Berlin`
 * @returns minutes east of UTC; undefined if the zone is unknown, or the offset was no whole minute then
 */
export function zoneOffset(at: number, zone: string): number | undefined {
  try {
    const parts = dateFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
    const name = parts.find(part => part.type === 'timeZoneName')?.value ?? '';
    const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name);
    if (!match) return undefined;
    const minutes = Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
    return match[1] === '-' ? -minutes : minutes;
  } catch {
    return undefined;
  }
}

/** An offset as RFC 3339 spells it, such as `+02:00`. */
export function spelledOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** A moment to the minute, such as `2026-03-01 09:30 UTC`, for whoever reads it anywhere. @param at - milliseconds since the epoch */
export const minuteInUtc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
