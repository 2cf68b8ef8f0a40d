/**
 * What counts as passed: a success of the scenario's own, no failure and no warning. The suite itself lets warnings pass,
 * and a scenario that checked nothing.
 */

/** One check of a scenario's `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface Judged {
  readonly passed: boolean;
  readonly success: number;
  readonly failure: number;
  readonly warning: number;
  readonly why: readonly string[];
}

/** Every message is also checked against the revision's schema; that alone shows nothing of a scenario. */
const ownCheck = (check: Check) => check.id !== 'wire-schema-valid';

/** @param checks - of one scenario's report; none where there is no report */
export function judge(checks: readonly Check[] = []): Judged {
  const count = (status: string) => checks.filter(check => check.status === status).length;
  const own = checks.filter(ownCheck).filter(check => check.status === 'SUCCESS').length;
  const bad = checks.filter(check => check.status === 'FAILURE' || check.status === 'WARNING');
  return {
    passed: own > 0 && bad.length === 0,
    success: count('SUCCESS'),
    failure: count('FAILURE'),
    warning: count('WARNING'),
    why: [
      ...bad.map(check => `${check.id}: ${check.errorMessage ?? check.status}`),
      ...(own > 0 ? [] : ['no success of its own']),
    ],
  };
}
