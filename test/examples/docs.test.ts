/** Runs the code of docs/stores.md and docs/sampling.md. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inbox } from '@midcall/host';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { stores } from '../../examples/docs/choose-store.ts';
import { withModels } from '../../examples/docs/sampling-host.ts';
import { searchNotes } from '../../examples/docs/sampling-tool.ts';
import '../../examples/docs/test-store.ts';
import { askWithTools } from '../../examples/docs/tool-loop.ts';

it('each documented store takes a value and gives it', async () => {
  const sent: string[][] = [];
  const answer = async (args: string[]) => {
    sent.push(args);
    return args[0] === 'SET' ? 'OK' : args[0] === 'GETDEL' ? 'v' : null;
  };
  const clients = {
    ioredis: { call: (...args: string[]) => answer(args) },
    nodeRedis: { sendCommand: (args: string[]) => answer(args) },
  };
  const made = await stores(clients, join(mkdtempSync(join(tmpdir(), 'midcall-docs-')), 'store.db'));
  for (const store of Object.values(made)) {
    await store.set('k', 'v', { ttlMs: 1000 });
    expect(await store.take('k')).toBe('v');
  }
  const commands = sent.map(args => args[0]).filter(name => name !== 'INFO');
  expect(commands).toEqual(['SET', 'GETDEL', 'SET', 'GETDEL']);
  await made.oneMachine.close();
});

it('a host with models declares sampling with tools', async () => {
  const client = new Client({ name: 'host', version: '1.0.0' });
  expect(withModels(client, new Inbox(), 'no-key').account()).toBeDefined();
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  expect(server.server.getClientCapabilities()?.sampling).toMatchObject({ tools: {} });
  await client.close();
});

it('the loop runs the tool the model asks for and gives the final text', async () => {
  const searched: string[] = [];
  const tool = searchNotes({
    find: async words => {
      searched.push(words);
      return ['one', 'two'];
    },
  });
  const replies = [
    {
      role: 'assistant',
      model: 'test',
      stopReason: 'toolUse',
      content: { type: 'tool_use', id: '1', name: 'search_notes', input: { words: 'budget' } },
    },
    { role: 'assistant', model: 'test', stopReason: 'endTurn', content: { type: 'text', text: 'Two notes.' } },
  ];
  const messages = [{ role: 'user', content: { type: 'text', text: 'How many?' } }] as const;
  const said = await askWithTools(
    messages,
    tool,
    async () => replies.shift(),
    () => 0,
    new AbortController().signal,
  );
  expect(said).toBe('Two notes.');
  expect(searched).toEqual(['budget']);
});
