/**
 * A store as whoever keeps contents in it sees it: what a value says is sealed before it leaves the process, and opens only
 * under the key it was written under, so that nobody who can read the store learns it, and nobody who can write there puts
 * one value in the place of another.
 */
import { MidcallError } from '../../errors.ts';
import type { Store } from '../../stores/store.ts';
import type { Sealer } from './seal.ts';

const PURPOSE = 'kept';

interface Kept {
  /** The key it lies under. */
  readonly k: string;
  readonly v: string;
}

export function sealedStore(store: Store, sealer: Sealer): Store {
  const open = (key: string, text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const opened = sealer.open(text, PURPOSE);
    const kept = opened.ok ? (opened.payload as Kept) : undefined;
    if (kept?.k === key) return kept.v;
    throw new MidcallError(
      'store/corrupt',
      'What lies in the store cannot be opened with the keys of this server, so nothing is done with it. Give every server ' +
        'that shares a store the same keys, and keep an old key in the list until what it sealed has expired.',
    );
  };
  return {
    get: async key => open(key, await store.get(key)),
    set: (key, value, options) => store.set(key, sealer.seal({ k: key, v: value } satisfies Kept, PURPOSE), options),
    delete: key => store.delete(key),
    take: async key => open(key, await store.take(key)),
  };
}
