/**
 * Values that are stored sealed, each for its own key, so that nobody with write access can replace one with another. This
 * keeps the purpose of a seal constant, however many keys there are. Pure.
 */
import type { Sealer } from './seal.ts';

/** Seals a value to be stored under this key. */
export const sealUnder = (sealer: Pick<Sealer, 'seal'>, purpose: string, key: string, value: unknown): string =>
  sealer.seal(value, purpose, key);

/** @returns the value; undefined if it cannot be opened, or was sealed for another key */
export function openUnder(sealer: Pick<Sealer, 'open'>, purpose: string, key: string, text: string): unknown {
  const opened = sealer.open(text, purpose, key);
  return opened.ok ? opened.payload : undefined;
}
