/** Requests answered before the SDK is given them: what reaches the client, and what stays the handler's. */

import { type Direct, type DirectAnswer, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

type Json = Record<string, unknown>;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A server whose calls are answered by `direct`, or by a handler that says so; and a client of it, frame by frame. */
async function stage(direct: Direct) {
  const server = new McpServer({ name: 's', version: '1' });
  server.server.registerCapabilities({ tools: {} });
  const mid = midcall();
  const handled: unknown[] = [];
  mid.handle(
    server,
    'tools/call',
    ({ params }) => {
      handled.push(params);
      return { content: [{ type: 'text', text: 'of the handler' }] };
    },
    { direct },
  );
  const sent: Json[] = [];
  const waiting = new Set<() => void>();
  const transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message: unknown) => {
      sent.push(message as Json);
      for (const wake of waiting) wake();
    },
  } as { onmessage?: (message: unknown) => void; onclose?: () => void } & Json;
  await server.connect(transport as never);
  const answered = async (id: number): Promise<Json> => {
    for (;;) {
      const found = sent.find(each => each['id'] === id && !('method' in each));
      if (found) return found;
      await new Promise<void>(resolve => waiting.add(resolve));
    }
  };
  const say = (message: Json) => transport.onmessage?.({ jsonrpc: '2.0', ...message });
  say({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
  });
  await answered(0);
  say({ method: 'notifications/initialized' });
  return { say, answered, sent, handled, server, transport };
}

/** One that is answered by hand, and notes how it was ended. */
function byHand() {
  const ends: string[] = [];
  let settle: (result: Json | undefined) => void = () => {};
  const direct = (): DirectAnswer => ({
    result: new Promise(resolve => {
      settle = resolve;
    }),
    end: how => void ends.push(how),
  });
  return { direct, ends, settle: (result: Json | undefined) => settle(result) };
}

const call = (id: number, more: Json = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 't', arguments: {}, ...more },
});

describe('a request that is answered directly', () => {
  it('gets the result with all that is in it, and never reaches the handler', async () => {
    const result = { content: [{ type: 'of-tomorrow', x: 1 }], ours: true };
    const { say, answered, handled } = await stage(() => ({ result: Promise.resolve(result), end: () => {} }));
    say(call(1));
    expect((await answered(1))['result']).toMatchObject(result);
    expect(handled).toEqual([]);
  });

  it('passes every member of _meta on as it came, whatever its name', async () => {
    const given: unknown[] = [];
    const { say, answered } = await stage(({ params }) => {
      given.push(params['_meta']);
      return { result: Promise.resolve({ content: [] }), end: () => {} };
    });
    const _meta = JSON.parse('{"progressToken":1,"__proto__":{"traceparent":"forged"}}');
    say(call(1, { _meta }));
    await answered(1);
    expect(JSON.stringify(given)).toBe(JSON.stringify([_meta]));
    expect((given[0] as Json)['traceparent']).toBeUndefined();
  });

  it.each([
    ['a list with nothing in it that is a block', { structuredContent: 1, content: [null] }],
    ['a text in place of the list', { structuredContent: 1, content: 'text' }],
  ])('gets an error where the result is none of the protocol: %s', async (_, result) => {
    const { say, answered, handled } = await stage(() => ({ result: Promise.resolve(result), end: () => {} }));
    say(call(1));
    const { error } = await answered(1);
    expect(error).toEqual({ code: -32603, message: expect.stringContaining('was not passed on') });
    expect(handled).toEqual([]);
  });

  it('is the handler’s where it is left to it, once', async () => {
    const ends: string[] = [];
    const left = { result: Promise.resolve(undefined), end: (how: string) => void ends.push(how) };
    const { say, answered, handled, sent } = await stage(() => left);
    say(call(1));
    expect((await answered(1))['result']).toMatchObject({ content: [{ text: 'of the handler' }] });
    expect(handled).toHaveLength(1);
    expect(ends).toEqual(['cancelled']);
    expect(sent.filter(each => each['id'] === 1)).toHaveLength(1);
  });

  it('direct-D1: has no answer once it was taken back, and says so to whoever answers', async () => {
    const hand = byHand();
    const { say, answered, sent } = await stage(hand.direct);
    say(call(1));
    say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(hand.ends).toEqual(['cancelled']);
    hand.settle({ content: [] });
    say({ id: 2, method: 'ping' });
    await answered(2);
    expect(sent.filter(each => each['id'] === 1)).toEqual([]);
  });

  it('direct-D1: is told of the end of the connection, also after it was left to the handler', async () => {
    const hand = byHand();
    const { say, transport } = await stage(hand.direct);
    say(call(1));
    (transport as { onclose?: () => void }).onclose?.();
    expect(hand.ends).toEqual(['gone']);
  });

  it.each([
    ['asks for a task', { task: { ttl: 1 } }],
    ['answers a round', { inputResponses: {} }],
    ['brings a state', { requestState: 's' }],
    ['says what the other revision says', { _meta: envelope }],
  ])('direct-D2: is the handler’s, or the SDK’s to refuse, where it %s', async (_, more) => {
    let asked = 0;
    const { say, answered } = await stage(() => {
      asked += 1;
      return undefined;
    });
    say(call(1, more));
    await answered(1);
    expect(asked).toBe(0);
  });

  it('is given what is called, who can do what, and a way to tell the client something on its stream', async () => {
    const seen: unknown[] = [];
    const { say, answered, sent } = await stage(request => {
      seen.push(request.params, request.capabilities, request.envelope);
      const told = request.notify({ method: 'notifications/x', params: { y: 1 } });
      return { result: told.then(() => ({ content: [] })), end: () => {} };
    });
    say(call(1, { _meta: { trace: 'a' }, other: 2 }));
    await answered(1);
    expect(seen).toEqual([{ name: 't', arguments: {}, other: 2, _meta: { trace: 'a' } }, {}, {}]);
    expect(sent).toContainEqual({ jsonrpc: '2.0', method: 'notifications/x', params: { y: 1 } });
  });
});
