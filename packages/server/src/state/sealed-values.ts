/**
 * Values that are stored sealed, each for its own key, so that nobody with write access can replace one with another. This
 * keeps the purpose of a seal constant, however many keys there are.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Opened, Sealer } from './seal.ts';

/** @returns the value; undefined if it cannot be opened, or was sealed for another key */
export function openUnder(sealer: Pick<Sealer, 'open'>, purpose: string, key: string, text: string): unknown {
  const opened = sealer.open(text, purpose, key);
  return opened.ok ? opened.payload : undefined;
}

const changed =
  'was changed in the store, or written without its key, so it is ignored. Find out who else can write there.';
/** Why a stored value cannot be used. */
const unreadable: Readonly<Record<Exclude<Opened, { ok: true }>['reason'], string>> = {
  'unknown-key':
    'is sealed with a key that is not in the ring, so it is ignored. Give every server that shares the store the same keys, ' +
    'and keep an old key in the list until what it sealed has expired.',
  malformed: changed,
  tampered: changed,
};

/**
 * As {@link openUnder}, for a value that counts as missing if it cannot be opened: operators learn that it is there, and why
 * it is not used.
 * @param what - the value, as the subject of a sentence
 * @param warn - writes to the operators' log
 */
export function openOrWarn(
  sealer: Pick<Sealer, 'open'>,
  purpose: string,
  key: string,
  text: string,
  what: string,
  warn: (message: string) => void,
): unknown {
  const opened = sealer.open(text, purpose, key);
  if (opened.ok) return opened.payload;
  warn(`midcall: ${what} ${unreadable[opened.reason]}`);
  return undefined;
}

const PURPOSE = 'kept';

/**
 * A store for content: a value is sealed before it leaves the process, and opens only under the key it was written under, so
 * that reading the store reveals nothing, and writing to it cannot replace one value with another. Sorted sets are those of the
 * store: nothing in them is content.
 */
export function sealedStore(store: Store, sealer: Sealer): Store {
  const open = (key: string, text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const value = openUnder(sealer, PURPOSE, key, text);
    if (typeof value === 'string') return value;
    throw new MidcallError(
      'store/corrupt',
      'A stored value cannot be opened with the keys of this server, so it is not used. Give every server ' +
        'that shares a store the same keys, and keep an old key in the list until what it sealed has expired.',
    );
  };
  return {
    get: async key => open(key, await store.get(key)),
    set: (key, value, options) => store.set(key, sealer.seal(value, PURPOSE, key), options),
    delete: key => store.delete(key),
    take: async key => open(key, await store.take(key)),
    sortedSets: store.sortedSets,
  };
}
