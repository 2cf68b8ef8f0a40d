/**
 * Date formatters, each made once and reused: one holds tens of kilobytes outside the JavaScript heap, which the garbage
 * collector does not count.
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
