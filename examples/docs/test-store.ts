/** A driver of one's own, under the contract suite. */
import { memoryStore } from '@midcall/server/stores/memory';
// #region contract
import { storeContract } from '@midcall/testing';
import { test } from 'vitest';

storeContract({
  test,
  open: async () => {
    let now = 0;
    const myStore = memoryStore({ clock: { now: () => now } });
    return {
      store: myStore, // empty
      second: myStore, // another connection to the same data
      advance: ms => {
        now += ms; // moves the store's clock
      },
      close: () => {},
    };
  },
});
// #endregion
