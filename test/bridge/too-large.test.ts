/** A message of the upstream server that is too large to read: the host is told the limit, which is no secret. */
import { eras } from '@midcall/testing';
import { expect, it } from 'vitest';
import { stage, textOf } from './stage.ts';

it.each(eras)('a host of %s is told which limit a result was over', async host => {
  await using on = await stage({
    host,
    upstream: '2025-11-25',
    serve: (mid, server) =>
      mid.tool(server, 'large', {}, () => ({ content: [{ type: 'text', text: 'x'.repeat(20_000) }] })),
    options: { maxMessageBytes: 10_000 },
  });
  const result = await on.client.callTool({ name: 'large', arguments: {} });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('a message of more than 10,000 bytes');
  expect(on.warned).toEqual([]);
});
