/** A driver of one's own, under the contract suite. */
import { memoryStore } from '@midcall/server/stores/memory';
// #region contract
import { storeContract } from '@midcall/testing';
import { test } from 'vitest';

let now = 0;
const myStore = memoryStore({ clock: { now: () => now } });

storeContract({
  test,
  // `second`: another connection to the same data; `advance`: moves the store's clock.
  open: async () => ({
    store: myStore,
    second: myStore,
    advance: ms => {
      now += ms;
    },
    close: () => {},
  }),
});
// #endregion
