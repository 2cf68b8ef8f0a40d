/**
 * Clients of revision 2025-06-18, the first with elicitation, whose forms have neither titled options nor lists: they are
 * asked in the words they know, and the handler gets what every other client would have given it.
 */

import { midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

interface Shown {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, Record<string, unknown>> };
}
type Content = Record<string, unknown>;

const question = z.object({
  note: z
    .union([z.literal('n1').meta({ title: 'TPS report, 2023' }), z.literal('n2').meta({ title: 'TPS report, 2024' })])
    .meta({ title: 'Note' }),
  tags: z
    .array(z.enum(['work', 'home', 'old']))
    .max(2)
    .optional()
    .meta({ title: 'Tags', description: 'What it is about.' }),
});

/** What stops a server stops its instance of the library, so each has its own. */
const serverFactory =
  (mid = midcall({ suspectBelowMs: 0, warn: () => {} })) =>
  () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Which?', form: question });
      return {
        content: [{ type: 'text', text: JSON.stringify(answer.action === 'accept' ? answer.content : answer) }],
      };
    });
    return server;
  };

async function transportTo(carrier: 'stdio' | 'http') {
  if (carrier === 'http') {
    const serving = await serveHttp(serverFactory(), { port: 0 });
    onTestFinished(() => serving.stop({ within: 0 }));
    return new StreamableHTTPClientTransport(serving.url);
  }
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(serverFactory(), { transport: far });
  onTestFinished(() => handle.close());
  return near;
}

/** Calls `act` as a client of that revision that gives these contents, one after the other. */
async function act(revision: string, carrier: 'stdio' | 'http', contents: readonly Content[]) {
  const shown: Shown[] = [];
  const client = new Client(
    { name: 'earlier', version: '1.0.0' },
    { capabilities: { elicitation: {} }, supportedProtocolVersions: [revision] },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(params as unknown as Shown);
    return { action: 'accept', content: contents[shown.length - 1] ?? {} } as never;
  });
  await client.connect(await transportTo(carrier));
  onTestFinished(() => client.close());
  const result = await client.callTool({ name: 'act', arguments: {} });
  return { shown, said: JSON.parse((result.content[0] as { text: string }).text) as unknown };
}

describe.each(['stdio', 'http'] as const)('over %s', carrier => {
  it('2025-06-18: titled choices have names, and each choice of a list is a yes or no', async () => {
    const { shown, said } = await act('2025-06-18', carrier, [
      { note: 'n2', tags_1: true, tags_2: false, tags_3: true },
    ]);
    expect(shown.map(each => each.requestedSchema.properties)).toEqual([
      {
        note: {
          type: 'string',
          title: 'Note',
          enum: ['n1', 'n2'],
          enumNames: ['TPS report, 2023', 'TPS report, 2024'],
        },
        tags_1: { type: 'boolean', title: 'Tags: work', description: 'What it is about. Choose at most 2.' },
        tags_2: { type: 'boolean', title: 'Tags: home' },
        tags_3: { type: 'boolean', title: 'Tags: old' },
      },
    ]);
    expect(said).toEqual({ note: 'n2', tags: ['work', 'old'] });
  });

  it('2025-06-18: an answer that does not fit is asked again in the same words', async () => {
    const { shown, said } = await act('2025-06-18', carrier, [
      { note: 'n1', tags_1: true, tags_2: true, tags_3: true },
      { note: 'n1' },
    ]);
    expect(shown[1]?.message).toContain('Tags takes at most 2 choices.');
    expect(shown[1]?.requestedSchema).toEqual(shown[0]?.requestedSchema);
    expect(said).toEqual({ note: 'n1' });
  });

  it('2025-11-25: the same question has titled options and a list', async () => {
    const { shown, said } = await act('2025-11-25', carrier, [{ note: 'n2', tags: ['home'] }]);
    expect(shown[0]?.requestedSchema.properties).toMatchObject({
      note: { oneOf: [{ const: 'n1' }, {}] },
      tags: { type: 'array' },
    });
    expect(said).toEqual({ note: 'n2', tags: ['home'] });
  });
});
