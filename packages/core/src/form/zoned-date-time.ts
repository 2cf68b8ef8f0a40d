/** A local date and time, as people and `datetime-local` inputs write it, with its zone made explicit. */
import { spelledOffset, zoneOffset } from '../time/index.ts';
import { isDateTime } from './format.ts';

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
