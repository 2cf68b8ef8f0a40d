/** Digests of JSON, by which asks, steps, arguments and inputs are recognized again. Pure. */

import { hash } from 'node:crypto';
import { canonical } from '@midcall/core/json';

/** A value that JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** SHA-256 of the canonical JSON, base64url, 43 characters. */
export function digest(value: unknown): string {
  return hash('sha256', canonical(value), 'base64url');
}

/** The same, cut to 132 bits: 22 characters. */
export const shortDigest = (value: unknown): string => digest(value).slice(0, 22);

/** A deep copy of JSON, own members only; a member called `__proto__` stays a plain member. */
export function copyJson<T extends Json>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(each => copyJson(each as Json)) as unknown as T;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value as Record<string, Json>)) {
    if (key === '__proto__') {
      Object.defineProperty(copy, key, {
        value: copyJson(member),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else copy[key] = copyJson(member);
  }
  return copy as T;
}
