/** Runs in workerd: the contract of stores on the store of a worker's own memory. */
import { memoryStore } from '@midcall/server/stores/memory';
import { storeContract } from '../../packages/testing/src/store-contract.ts';

export default {
  async fetch(): Promise<Response> {
    const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
    storeContract({
      test: (name, run) => tests.push({ name, run }),
      open: () => {
        let now = 1_000_000;
        const advance = (ms: number) => {
          now += ms;
        };
        return { store: memoryStore({ clock: { now: () => now } }), advance };
      },
    });
    const failed: string[] = [];
    for (const { name, run } of tests) await run().catch(error => failed.push(`${name}: ${error}`));
    return Response.json({ ran: tests.length, failed });
  },
};
