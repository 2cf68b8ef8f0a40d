/**
 * Why a sampling request or result is refused: the list in which the checks record it, and readers of untrusted JSON that do. Every
 * reader records errors and returns undefined; nothing throws, and only expected members are read.
 */
import { isRecord } from '../json/index.ts';
import type { JsonObject } from './wire.ts';

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

const depthLimit = 64;

/** A string of at most `limit` UTF-16 units. */
export function readString(findings: Findings, at: string, value: unknown, limit: number): string | undefined {
  if (value === undefined) return findings.add(at, 'required', 'This text is missing.');
  if (typeof value !== 'string') return findings.add(at, 'type', 'This must be text.');
  if (value.length > limit) return findings.add(at, 'size', `This is longer than ${limit} characters.`);
  return value;
}

/** Free-form JSON, as an object. Refuses `__proto__` at any depth and nesting that could exhaust the stack. */
export function readJsonObject(findings: Findings, at: string, value: unknown): JsonObject | undefined {
  if (!isRecord(value)) return findings.add(at, 'type', 'This must be an object.');
  return isSafeJson(findings, at, value) ? value : undefined;
}

/** True if a JSON value is acceptable; otherwise records why not. */
export function isSafeJson(findings: Findings, at: string, value: unknown): boolean {
  const open: { readonly node: unknown; readonly depth: number }[] = [{ node: value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (typeof node === 'bigint' || typeof node === 'function' || typeof node === 'symbol') {
      findings.add(at, 'type', 'This contains something that is not JSON.');
      return false;
    }
    if (typeof node !== 'object' || node === null) continue;
    if (depth > depthLimit) {
      findings.add(at, 'size', `This is nested deeper than ${depthLimit} levels.`);
      return false;
    }
    if (Object.hasOwn(node, '__proto__')) {
      findings.add(at, 'prototype', 'This has a member named __proto__.');
      return false;
    }
    for (const child of Object.values(node)) open.push({ node: child, depth: depth + 1 });
  }
  return true;
}

/** The optional `_meta` and `annotations` of a block, as a spreadable object. */
export function readExtras<K extends '_meta' | 'annotations'>(
  findings: Findings,
  at: string,
  source: Record<string, unknown>,
  names: readonly K[],
): { readonly [P in K]?: JsonObject } {
  const extras: { [P in K]?: JsonObject } = {};
  for (const name of names) {
    if (source[name] === undefined) continue;
    const value = readJsonObject(findings, `${at}.${name}`, source[name]);
    if (value) extras[name] = value;
  }
  return extras;
}
