/** How long a decision may apply, as the desk offers it. */

/** Milliseconds; empty: for the session; `always`: until it is revoked, in other sessions too. */
const all = ['', '900000', '3600000', '86400000', 'always'] as const;

/** The durations to choose from for a decision. @param decisionsPersist - whether decisions are kept beyond the session */
export const durations = (decisionsPersist: boolean): readonly (typeof all)[number][] =>
  decisionsPersist ? all : all.slice(0, -1);

/** How long a decision applies; for the session if neither is given. */
export interface Duration {
  /** Milliseconds. */
  readonly forMs?: number;
  readonly always?: true;
}

/** A posted duration; for the session if it is invalid. */
export function durationOf(posted: string | undefined): Duration {
  const chosen = all.find(each => each === posted) ?? '';
  if (chosen === '') return {};
  return chosen === 'always' ? { always: true } : { forMs: Number(chosen) };
}
