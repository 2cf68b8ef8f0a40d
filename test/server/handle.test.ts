/** `mid.handle`: one handler for every request of a method, as behind a gateway. */

import { midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const gateway = () => {
  const server = new McpServer({ name: 'gateway', version: '1.0.0' });
  server.server.registerCapabilities({ tools: {}, resources: {} });
  return server;
};

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('asks in the middle of a tool that nobody registered, and acts once', async () => {
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    const done: unknown[] = [];
    const factory = () => {
      const server = gateway();
      mid.handle(server, 'tools/call', async ({ params }, call) => {
        const { action } = await call.elicit({ message: `Run ${params['name']}?`, form: { sure: Boolean } });
        if (action === 'accept') await call.step('run', () => void done.push(params['arguments']));
        return { content: [{ type: 'text' as const, text: action }] };
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { sure: true } }]);
    await using pair = await connectPair(factory, { era, carrier, person });
    const result = await pair.client.callTool({ name: 'made-up', arguments: { a: 1 } });
    expect(result.content).toEqual([{ type: 'text', text: 'accept' }]);
    expect(person.asked[0]?.params['message']).toBe('Run made-up?');
    expect(done).toEqual([{ a: 1 }]);
  });

  it('answers with the error that its handler throws', async () => {
    const mid = midcall({ warn: () => {} });
    const factory = () => {
      const server = gateway();
      mid.handle(server, 'resources/read', ({ params }) => {
        throw Object.assign(new Error(`no ${params['uri']}`), { code: -32002 });
      });
      return server;
    };
    await using pair = await connectPair(factory, { era, carrier });
    await expect(pair.client.readResource({ uri: 'test://none' })).rejects.toThrow('no test://none');
  });
});

it.each([
  ['pages', { pages: connect({ name: 'Test' }) }],
  ['the relay', { channels: ['native', 'relay'] as const }],
])('is refused beside %s, whose resume is a tool of its own', (_, options) => {
  const mid = midcall(options);
  expect(() => mid.handle(gateway(), 'tools/call', () => ({ content: [] }))).toThrow(/no place for `resume`/);
});

it('says what is wrong with its arguments', () => {
  const mid = midcall();
  expect(() => mid.handle(gateway(), 'tools/list' as never, () => ({}))).toThrow(TypeError);
  expect(() => mid.handle({} as never, 'tools/call', () => ({ content: [] }))).toThrow(TypeError);
  expect(() => mid.handle(gateway(), 'tools/call', undefined as never)).toThrow(TypeError);
});
