/** How long a rule may hold, as the desk offers it. */

/** How long a rule may hold, in milliseconds; empty: for the session. */
export const durations = ['', '900000', '3600000', '86400000'] as const;

/** A posted duration in milliseconds; undefined for the session. */
export function durationOf(posted: string | undefined): number | undefined {
  return durations.some(each => each !== '' && each === posted) ? Number(posted) : undefined;
}
