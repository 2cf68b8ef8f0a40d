/** Servers of the SDK's other module format; see packages/server/src/sdk-seam/any-server.ts. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import * as sdk from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const { McpServer } = createRequire(import.meta.url)('@modelcontextprotocol/server') as typeof sdk;

describe.each(eras)('%s', era => {
  it.each(['memory', 'http'] as const)('a server of a CommonJS project is served over %s', async carrier => {
    const mid = midcall({ key: randomBytes(32) });
    const make = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.tool(server, 'greet', {}, async (_, call) => {
        const answer = await call.elicit({ message: 'Who is it?', form: String });
        return `Hello ${answer.action === 'accept' ? answer.content : answer.action}`;
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { value: 'Ada' } }]);
    await using pair = await connectPair(make, { era, carrier, person });
    const result = await pair.client.callTool({ name: 'greet', arguments: {} });
    expect(result).toMatchObject({ content: [{ text: 'Hello Ada' }] });
  });
});

it('a class that extends the SDK’s server has only its own instances', () => {
  class Other extends sdk.McpServer {}
  const info = { name: 'notes', version: '1.0.0' };
  expect(new McpServer(info)).toBeInstanceOf(sdk.McpServer);
  expect(new McpServer(info)).not.toBeInstanceOf(Other);
  expect(new Other(info)).toBeInstanceOf(Other);
});
