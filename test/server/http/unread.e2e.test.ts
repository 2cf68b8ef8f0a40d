/** An owner who does not read does not end a server; the full counts are in `unread.soak.test.ts`. */
import { describe, expect, it } from 'vitest';
import { few, inSoak } from '../../fixtures/soak.ts';
import { callUnread } from './unread-calls.ts';

const MIB = 1024 * 1024;

describe.each(['2025-11-25', '2026-07-28'] as const)('%s', era => {
  it.each(few(['large', 'streamed'], era === '2025-11-25' ? 'large' : 'streamed'))(
    'results of 4 MB that one owner calls for and does not read (%s) do not end a server with a heap of 128 MB, and somebody else is served',
    async tool => {
      const { rss, cuts, other } = await callUnread({ era, tool, calls: inSoak(120, 40), bytes: 4 * MIB, heap: 128 });
      expect([other.length, cuts > 0]).toEqual([10, true]);
      expect(rss).toBeLessThan(450);
    },
  );
});
