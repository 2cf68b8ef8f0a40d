/** What an owner may leave unread, in full counts. */
import { describe, expect, it } from 'vitest';
import { callUnread } from './unread-calls.ts';

const MIB = 1024 * 1024;

describe.each(['2025-11-25', '2026-07-28'] as const)('%s', era => {
  it.each(['large', 'streamed'] as const)(
    '1,000 results of 4 MB that one owner calls for and does not read (%s) do not end a server with a heap of 1 GB, and somebody else is served',
    async tool => {
      const unread = await callUnread({ era, tool, calls: 1_000, bytes: 4 * MIB, heap: 1_024 });
      console.log(`${era}, ${tool}: ${JSON.stringify(unread)}`);
      expect([unread.other.length, unread.cuts > 0]).toEqual([10, true]);
      expect(unread.rss).toBeLessThan(1_024);
    },
  );
});
