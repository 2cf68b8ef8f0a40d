/**
 * Reads untrusted JSON member by member. Every reader records errors and returns undefined; nothing throws, and only expected
 * members are read.
 */
import { isRecord } from '../json/index.ts';
import type { Findings } from './issue.ts';
import type { JsonObject } from './message.ts';

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
