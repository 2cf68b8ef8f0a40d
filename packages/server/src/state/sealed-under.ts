/**
 * Values that lie sealed in a store, each together with its key: so that nobody who can write there puts one in the place
 * of another. What a seal is for stays a constant that way, however many keys there are. Pure.
 */

/** As much of a sealer as opening takes. */
interface Opens {
  open(text: unknown, purpose: string): { readonly ok: true; readonly payload: unknown } | { readonly ok: false };
}

interface Under {
  readonly k: string;
  readonly v: unknown;
}

/** What is to be sealed for a value that will lie under this key. */
export const under = (key: string, value: unknown): Under => ({ k: key, v: value });

/** @returns the value; undefined for what cannot be opened, or was sealed to lie under another key */
export function openUnder(sealer: Opens, purpose: string, key: string, text: string): unknown {
  const opened = sealer.open(text, purpose);
  const under = opened.ok ? (opened.payload as Partial<Under> | null) : undefined;
  return under?.k === key ? under.v : undefined;
}
