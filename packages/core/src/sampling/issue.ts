/** Why a sampling request or result is refused, and the list in which the checks record it. */

/** One broken rule. */
export interface SamplingIssue {
  /** Where, such as `messages[2].content[0].data`. */
  readonly at: string;
  /** The rule's short name, stable across releases, such as `result-missing`. */
  readonly rule: SamplingRule;
  /** A plain sentence; it names places and ids, never content. */
  readonly message: string;
}

/** The rule an issue breaks. */
export type SamplingRule =
  // Shape.
  | 'type'
  | 'required'
  | 'range'
  | 'base64'
  | 'mime-type'
  | 'role'
  | 'empty'
  | 'size'
  | 'prototype'
  // Tool use in a history.
  | 'use-role'
  | 'use-duplicate'
  | 'result-role'
  | 'result-only'
  | 'result-missing'
  | 'result-unknown'
  | 'result-duplicate'
  // Tools of a request.
  | 'tools-undeclared'
  | 'tool-duplicate'
  | 'choice-without-tools'
  // A result against its request.
  | 'use-without-tools'
  | 'choice-required'
  | 'choice-none'
  | 'stop-reason';

/** The result of a check: the value, rebuilt from known members only, or every broken rule. */
export type SamplingCheck<T> =
  | { readonly ok: true; readonly value: T; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly issues: readonly SamplingIssue[] };

/** Collects issues; stops listing at fifty, since nobody reads more. */
export class Findings {
  readonly issues: SamplingIssue[] = [];

  /** Records a broken rule and returns undefined, so that a reader can `return findings.add(…)`. */
  add(at: string, rule: SamplingRule, message: string): undefined {
    if (this.issues.length < 50) this.issues.push({ at, rule, message });
    return undefined;
  }
}

/** The issues as one text for an error message: the first three, and how many more there are. */
export function describeIssues(issues: readonly SamplingIssue[]): string {
  const listed = issues.slice(0, 3).map(issue => `${issue.at}: ${issue.message}`);
  const more = issues.length - listed.length;
  return listed.join(' ') + (more > 0 ? ` (${more} more)` : '');
}

/**
 * An identifier from the other side, made safe for a message: one line, short, without control and bidi characters, and without
 * quotes, so that it cannot end its own quotation.
 */
export function quoted(text: string): string {
  const printable = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD').replaceAll('"', "'");
  const points = [...printable.slice(0, 200)];
  return `"${points.length > 60 ? `${points.slice(0, 60).join('')}…` : points.join('')}"`;
}
