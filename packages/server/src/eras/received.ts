/** Checks what a client sent as an answer before anything reads it: it must be neither too long nor too deep. Pure. */
import { canonical } from '@midcall/core/json';
import type { Json } from '../base/index.ts';

/** The maximum length of one answer, in characters of canonical JSON. */
const MAX_ANSWER = 1_000_000;

/**
 * @returns the answer and its canonical text, or nothing if it is too long, too deep, or no JSON at all
 */
export function received(answer: unknown): { readonly value: Json; readonly text: string } | undefined {
  try {
    const text = canonical(answer);
    return text.length > MAX_ANSWER ? undefined : { value: answer as Json, text };
  } catch {
    // Nested deeper than the stack allows.
    return undefined;
  }
}
