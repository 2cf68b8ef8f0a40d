/** Moments as a `datetime-local` control and its list of zones show them. */
import { spelledOffset, zoneOffset } from '@midcall/core/time';

/** True if the platform knows a zone of this name. */
export const isZone = (zone: string): boolean => zoneOffset(0, zone) !== undefined;

/** The zone's offset at a moment, such as `+02:00`. */
export const offsetIn = (zone: string, at: number): string => spelledOffset(zoneOffset(at, zone) ?? 0);

/** RFC 3339 as wall-clock time in a zone, to the second; undefined if it is not a time, or the zone is unknown. */
export function toZoned(text: string, zone: string): string | undefined {
  const at = Date.parse(text);
  const offset = Number.isNaN(at) ? undefined : zoneOffset(at, zone);
  if (offset === undefined) return undefined;
  return new Date(at + offset * 60_000).toISOString().slice(0, 19).replace(/:00$/, '');
}
