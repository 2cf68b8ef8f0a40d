/** A server whose messages nest deeper than anything can be written out: each of them is answered, and nothing runs out of stack. */
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { withinNesting } from '../../../packages/host/src/sdk-seam/unread-messages.ts';
import { callOpen, wired } from '../wire-server.ts';

const nested = (levels: number, open = '{"a":', close = '}'): unknown =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);

describe('a message that nests too deeply', () => {
  it.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('a message that nests too deeply is read to the limit: %s', (_, open, close) => {
    const result = (levels: number) => ({ jsonrpc: '2.0', id: 1, result: { of: nested(levels, open, close) } });
    expect(withinNesting(result(998)).read).toHaveProperty('result');
    expect(withinNesting(result(999)).read).toHaveProperty('error.message', expect.stringContaining('1000 levels'));
    expect(withinNesting(result(100_000)).read).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32603 } });
  });

  it('a message that nests too deeply is answered if it is a request, and dropped if it wants no answer', () => {
    const params = nested(9_000);
    expect(withinNesting({ jsonrpc: '2.0', id: 'r', method: 'elicitation/create', params })).toEqual({
      answer: { jsonrpc: '2.0', id: 'r', error: { code: -32600, message: expect.stringContaining('a request') } },
    });
    expect(withinNesting({ jsonrpc: '2.0', method: 'notifications/message', params })).toEqual({});
  });
});

describe.each(eras)('%s', era => {
  it('a result that nests too deeply ends its call with an error that says so', async () => {
    const { host, ended } = await callOpen(era);
    await host.respond({ resultType: 'complete', content: [], structuredContent: nested(2_000) });
    expect(await ended).toMatchObject({ message: expect.stringContaining('nests more than 1000 levels') });
  });
});

it('a request that nests too deeply is answered, and nobody is asked', async () => {
  const host = await wired('2025-11-25', { tool: () => Promise.resolve('') });
  const requestedSchema = { type: 'object', properties: { yes: { type: 'boolean' } } };
  const params = { message: 'Sure?', requestedSchema, _meta: { of: nested(2_000) } };
  const { error } = await host.wire.request('elicitation/create', params);
  expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('a request that nests') });
  expect([host.shown, host.responses.length]).toEqual([[], 1]);
});

it('a request whose id is no integer is answered, and not read', async () => {
  expect(withinNesting({ jsonrpc: '2.0', id: 2.5, method: 'ping' })).toEqual({
    answer: { jsonrpc: '2.0', id: 2.5, error: { code: -32600, message: expect.stringContaining('an integer') } },
  });
});

it('a request with what the SDK would drop it for is read without that', () => {
  const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } } };
  const asked = { jsonrpc: '2.0', id: 'r', method: 'elicitation/create', params };
  for (const odd of [
    { ...asked, more: 1 },
    { ...asked, params: { ...params, _meta: 'x' } },
    { ...asked, params: { ...params, _meta: { progressToken: {}, 'io.modelcontextprotocol/related-task': 5 } } },
  ])
    expect(withinNesting(odd)).toEqual({ read: asked });
  const whole = { ...asked, params: { ...params, _meta: { progressToken: 7, 'a.b/c': 1 } } };
  expect(withinNesting(whole).read).toBe(whole);
  expect(withinNesting({ ...asked, id: 2 ** 53 })).toMatchObject({ answer: { id: 2 ** 53, error: { code: -32600 } } });
});
