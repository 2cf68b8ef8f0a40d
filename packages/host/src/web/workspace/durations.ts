/** How long a rule may hold, as the desk offers it. */

/** Milliseconds; empty: for the session; `always`: until it is revoked, in other sessions too. */
const all = ['', '900000', '3600000', '86400000', 'always'] as const;

/** What a rule may be chosen to hold for. @param rulesPersist - whether rules are kept beyond the session */
export const durations = (rulesPersist: boolean): readonly (typeof all)[number][] =>
  rulesPersist ? all : all.slice(0, -1);

/** How long a rule holds; for the session if neither is given. */
export interface Duration {
  /** Milliseconds. */
  readonly forMs?: number;
  readonly always?: true;
}

/** A posted duration; for the session where it is none. */
export function durationOf(posted: string | undefined): Duration {
  const chosen = all.find(each => each === posted) ?? '';
  if (chosen === '') return {};
  return chosen === 'always' ? { always: true } : { forMs: Number(chosen) };
}
