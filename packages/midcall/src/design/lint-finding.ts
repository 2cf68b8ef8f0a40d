/** One violation of one rule, as seen on the wire of a black-box server. */
import type { Era } from '@midcall/host';
import type { PlayName } from './lint-play.ts';
import { type LintRuleId, lintRules, type Severity } from './lint-rule.ts';

/**
 * How certain it is. `seen`: the violation itself crossed the wire. `suspected`: results that should differ are the same, which
 * shows what the server says, not what it did. `possible`: only the words point that way.
 */
export type Certainty = 'seen' | 'suspected' | 'possible';

/** One violation. */
export interface LintFinding {
  readonly rule: LintRuleId;
  readonly severity: Severity;
  readonly certainty: Certainty;
  readonly tool: string;
  /** The eras it was found in. */
  readonly eras: readonly Era[];
  /** What the person did. */
  readonly play: PlayName;
  /** The field of the form that it concerns. */
  readonly field?: string;
  /** One or two sentences; foreign text in them is made visible. */
  readonly message: string;
}

/** A judge's verdict, before its place is known. */
export interface Breach {
  readonly rule: LintRuleId;
  readonly message: string;
  readonly field?: string;
  readonly certainty?: Certainty;
}

/** A violation as a finding; one that is only possible is at most a warning. */
export function finding(breach: Breach, tool: string, era: Era, play: PlayName): LintFinding {
  const { rule, message, field, certainty = 'seen' } = breach;
  const usual = lintRules[rule].severity;
  const severity = certainty === 'possible' && usual === 'error' ? 'warning' : usual;
  return { rule, severity, certainty, tool, eras: [era], play, ...(field !== undefined && { field }), message };
}

/** Counts a violation once, however many plays or eras show it. */
export function gathered(findings: readonly LintFinding[]): readonly LintFinding[] {
  const byKey = new Map<string, LintFinding>();
  for (const each of findings) {
    const key = JSON.stringify([each.rule, each.tool, each.field, each.message]);
    const earlier = byKey.get(key);
    if (!earlier) byKey.set(key, each);
    else byKey.set(key, { ...earlier, eras: [...new Set([...earlier.eras, ...each.eras])] });
  }
  return [...byKey.values()];
}
