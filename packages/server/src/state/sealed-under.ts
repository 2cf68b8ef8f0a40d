/**
 * Values that lie sealed in a store, each for its own key: so that nobody who can write there puts one in the place of another.
 * What a seal is for stays a constant that way, however many keys there are. Pure.
 */
import type { Sealer } from './seal.ts';

/** Seals a value that will lie under this key. */
export const sealUnder = (sealer: Pick<Sealer, 'seal'>, purpose: string, key: string, value: unknown): string =>
  sealer.seal(value, purpose, key);

/** @returns the value; undefined for what cannot be opened, or was sealed to lie under another key */
export function openUnder(sealer: Pick<Sealer, 'open'>, purpose: string, key: string, text: string): unknown {
  const opened = sealer.open(text, purpose, key);
  return opened.ok ? opened.payload : undefined;
}
