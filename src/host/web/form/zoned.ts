/** Wall-clock time in a named zone, to and from RFC 3339 with its offset. */

function offsetMinutes(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find(each => each.type === type)?.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return Math.round((wall - Math.floor(at / 1000) * 1000) / 60_000);
}

/** An offset as RFC 3339 spells it. */
function spelledOffset(minutes: number): string {
  const sign = minutes < 0 ? '-' : '+';
  const two = (part: number) => String(part).padStart(2, '0');
  return `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/** True where the platform knows a zone of this name. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The zone's offset at a moment, such as `+02:00`. */
export function offsetIn(zone: string, at: number): string {
  return spelledOffset(offsetMinutes(at, zone));
}

/**
 * Wall-clock time as RFC 3339.
 * @param local - as a `datetime-local` control has it: `2026-03-01T09:30`, seconds optional
 * @returns undefined where it is no such time or the zone is unknown; in the hour that a clock change skips, the time after it
 */
export function fromZoned(local: string, zone: string): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?$/.exec(local);
  if (!match || !isZone(zone)) return undefined;
  const spelled = `${match[1]}T${match[2]}${match[3] ?? ':00'}`;
  const wall = Date.parse(`${spelled}Z`);
  if (Number.isNaN(wall)) return undefined;
  const guess = offsetMinutes(wall, zone);
  const offset = offsetMinutes(wall - guess * 60_000, zone);
  return `${spelled}${offset === 0 && zone === 'UTC' ? 'Z' : spelledOffset(offset)}`;
}

/** RFC 3339 as wall-clock time in a zone, to the second; undefined where it is no time. */
export function toZoned(text: string, zone: string): string | undefined {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return new Date(at + offsetMinutes(at, zone) * 60_000).toISOString().slice(0, 19).replace(/:00$/, '');
}
