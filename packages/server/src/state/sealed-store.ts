/**
 * A store for content: a value is sealed before it leaves the process, and opens only under the key it was written under, so
 * that reading the store reveals nothing, and writing to it cannot replace one value with another. Sorted sets are those of the
 * store: nothing in them is content.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import type { Sealer } from './seal.ts';
import { openUnder, sealUnder } from './sealed-under.ts';

const PURPOSE = 'kept';

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
    set: (key, value, options) => store.set(key, sealUnder(sealer, PURPOSE, key, value), options),
    delete: key => store.delete(key),
    take: async key => open(key, await store.take(key)),
    sortedSets: store.sortedSets,
  };
}
