/** How far a time zone is from UTC, by the platform's own table. */
import { dateFormat } from './date-format.ts';

/**
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
