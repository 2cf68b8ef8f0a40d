/**
 * Which frames, declarations and results need no schema: packages/server/src/sdk-seam/plain-call.ts, known-envelopes.ts and
 * plain-result.ts. Whatever is a little more than plain has to be left to the SDK, which may refuse it, or keep what we would drop.
 */
import { describe, expect, it } from 'vitest';
import { KnownEnvelopes } from '../../packages/server/src/sdk-seam/known-envelopes.ts';
import { plainCall } from '../../packages/server/src/sdk-seam/plain-call.ts';
import { isPlainResult } from '../../packages/server/src/sdk-seam/plain-result.ts';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const known = new KnownEnvelopes();
known.add(envelope);

const withPrototype: unknown = JSON.parse('{"__proto__":{"action":"accept"}}');
const frame = (params: object, members: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', ...params } },
  ...members,
});
const modern = (params: object, members?: object) => frame({ _meta: envelope, ...params }, members);

describe('a plain call', () => {
  it('is one with nothing but its tool, arguments, token of progress and answers, in either era', () => {
    expect(plainCall(frame({ arguments: { a: 1 }, _meta: { progressToken: 0 } }), undefined)).toEqual({
      id: 1,
      params: { name: 'ask', arguments: { a: 1 }, _meta: { progressToken: 0 } },
      envelope: undefined,
      inputResponses: undefined,
      requestState: undefined,
    });
    const inputResponses = { sure: { action: 'accept', content: {} } };
    expect(plainCall(modern({ inputResponses, requestState: 'sealed' }), known)).toEqual({
      id: 1,
      params: { name: 'ask' },
      envelope,
      inputResponses,
      requestState: 'sealed',
    });
  });

  it.each<[string, unknown]>([
    ['another version of JSON-RPC', modern({}, { jsonrpc: '1.0' })],
    ['another method', modern({}, { method: 'tools/list' })],
    ['no id', modern({}, { id: undefined })],
    ['an id that is null', modern({}, { id: null })],
    ['an id with a fraction', modern({}, { id: 1.5 })],
    ['a member beside the parameters', modern({}, { trace: 'x' })],
    ['a member that only some know', modern({ task: { ttl: 1 } })],
    ['a name that is no text', modern({ name: 7 })],
    ['arguments that are a list', modern({ arguments: [] })],
    ['arguments with a prototype', modern({ arguments: withPrototype })],
    ['arguments that are undefined', modern({ arguments: undefined })],
    ['a state that is no text', modern({ requestState: { sealed: true } })],
    ['answers that are a list', modern({ inputResponses: [] })],
    ['answers with a prototype', modern({ inputResponses: withPrototype })],
    ['an answer that is no object', modern({ inputResponses: { sure: 'yes' } })],
    ['an answer that is a request', modern({ inputResponses: { sure: { method: 'elicitation/create' } } })],
    ['an answer in an envelope', modern({ inputResponses: { sure: { result: { action: 'accept' } } } })],
    ['no declarations', frame({})],
    ['declarations that are a list', modern({ _meta: [envelope] })],
    ['a token of progress that is neither text nor integer', modern({ _meta: { ...envelope, progressToken: {} } })],
    ['fewer declarations than were accepted', modern({ _meta: {} })],
    ['a key of its own beside them', modern({ _meta: { ...envelope, traceparent: '00-1-1-00' } })],
  ])('on 2026-07-28 is none with %s', (_, message) => {
    expect(plainCall(message, known)).toBeUndefined();
  });

  it('up to 2025-11-25 is none with a key of its own in _meta, which its handler has to get', () => {
    expect(plainCall(frame({ _meta: { progressToken: 1, traceparent: '00-1-1-00' } }), undefined)).toBeUndefined();
    expect(plainCall(frame({ _meta: undefined }), undefined)).toBeUndefined();
  });
});

describe('known declarations', () => {
  const told = (capabilities: unknown) => ({
    ...envelope,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  });

  it('are those that equal accepted ones, in any order of their members', () => {
    expect(known.has(JSON.parse(JSON.stringify(envelope)))).toBe(true);
    expect(known.has(Object.fromEntries(Object.entries(envelope).reverse()))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['less', {}],
    ['more', { elicitation: { form: {} }, sampling: {} }],
    ['less within', { elicitation: {} }],
    ['more within', { elicitation: { form: {}, url: {} } }],
    ['a list for an object', { elicitation: { form: [] } }],
    ['null for an object', { elicitation: null }],
    ['a text for an object', 'elicitation'],
  ])('are not those that declare %s', (_, capabilities) => {
    expect(known.has(told(capabilities))).toBe(false);
  });

  it('stay as they were accepted, whatever becomes of the object, and are the last eight', () => {
    const some = new KnownEnvelopes();
    const changing: { sampling?: object } = {};
    some.add(changing);
    changing.sampling = {};
    expect([some.has(changing), some.has({})]).toEqual([false, true]);
    for (let at = 0; at < 8; at += 1) some.add({ at });
    expect([some.has({}), some.has({ at: 0 }), some.has({ at: 7 })]).toEqual([false, true, true]);
  });

  it('are not those of more than 4,096 characters, nor those deeper than twelve levels', () => {
    const some = new KnownEnvelopes();
    const long = { said: 'x'.repeat(4_096) };
    some.add(long);
    expect(some.has(long)).toBe(false);
    const deep = (levels: number): Record<string, unknown> => (levels === 0 ? {} : { in: deep(levels - 1) });
    some.add(deep(11));
    some.add(deep(12));
    expect([some.has(deep(11)), some.has(deep(12))]).toEqual([true, false]);
  });
});

describe('a plain result', () => {
  const said = { type: 'text', text: 'Done.' };

  it('is one of texts, with or without an error and structured content', () => {
    expect(isPlainResult({ content: [said, said] })).toBe(true);
    expect(isPlainResult({ content: [], isError: true, structuredContent: { a: [1] } })).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no content', { structuredContent: {} }],
    ['content that is no list', { content: said }],
    ['a member that only some know', { content: [said], _meta: {} }],
    ['an error that is a text', { content: [said], isError: 'yes' }],
    ['an error that is undefined', { content: [said], isError: undefined }],
    ['structured content that is a list', { content: [said], structuredContent: [] }],
    ['structured content that is undefined', { content: [said], structuredContent: undefined }],
    ['structured content of a class', { content: [said], structuredContent: new Date(0) }],
    ['structured content with a symbol', { content: [said], structuredContent: { [Symbol('a')]: 1 } }],
    ['structured content with a prototype', { content: [said], structuredContent: withPrototype }],
    ['a block that is null', { content: [null] }],
    ['a block of another kind', { content: [{ type: 'image', data: '', mimeType: 'image/png' }] }],
    ['a text that is a number', { content: [{ type: 'text', text: 7 }] }],
    ['annotations of a text', { content: [{ ...said, annotations: { priority: 2 } }] }],
  ])('is none with %s', (_, result) => {
    expect(isPlainResult(result)).toBe(false);
  });
});
