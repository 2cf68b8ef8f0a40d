/** What a look into the store shows: that there are calls, and nothing of what they say. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Call, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Store, sqliteStore } from '@midcall/server/stores/sqlite';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';
import { sealedStore } from '../../../packages/server/src/state/sealed-values.ts';
import { corners } from '../../fixtures/corners.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
/** Words of the person's that nobody who steals the store may read. */
const words = ['cArgument', 'cStepName', 'cStepResult', 'cToolResult', 'cAnswer', 'cMessage'] as const;

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'midcall-rest-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const each of folders.splice(0)) rmSync(each, { recursive: true });
});
const bytesOf = (directory: string) =>
  readdirSync(directory)
    .map(name => readFileSync(join(directory, name), 'latin1'))
    .join('\n');

describe.each(corners)('%s over %s', (era, carrier) => {
  /** Runs a call that asks, steps and returns; natively, or by the relay and its ticket. */
  async function live(store: Store, by: 'native' | 'relay', during: () => void) {
    const mid = midcall({ key, store, channels: [by], suspectBelowMs: 0, warn: () => {} });
    const ask = { message: 'cMessage?', form: { word: String } } as const;
    const handler = async (call: Call) => {
      const before = await call.step('cStepName before', () => 'cStepResult');
      const answer = await call.elicit({ ...ask, channels: [by] });
      const word = answer.action === 'accept' ? answer.content.word : answer.action;
      const after = await call.step('cStepName after', () => ({ word, after: 'cStepResult' }));
      await call.step('cStepName look', during);
      return `cToolResult ${before} ${after.word}`;
    };
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.object({ about: z.string() }) }, async (_, call) => ({
        content: [{ type: 'text' as const, text: await handler(call) }],
      }));
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { word: 'cAnswer' } }]);
    const capabilities = by === 'native' ? { elicitation: {} } : {};
    await using pair = await connectPair(factory, { era, carrier, capabilities, person });
    const text = async (name: string, args: Record<string, unknown>) =>
      ((await pair.client.callTool({ name, arguments: args })).content[0] as { text: string }).text;
    const first = await text('act', { about: 'cArgument' });
    const ticket = /ticket "([^"]+)"/.exec(first)?.[1];
    if (by === 'native') return { said: first, ticket };
    return { said: await text('resume', { ticket, action: 'accept', content: { word: 'cAnswer' } }), ticket };
  }

  it.each(['native', 'relay'] as const)(
    'a %s call leaves none of its words in an SQLite file, nor its ticket',
    async by => {
      const directory = folder();
      const store = await sqliteStore(join(directory, 'store.sqlite'));
      const looks: string[] = [];
      const { said, ticket } = await live(store, by, () => void looks.push(bytesOf(directory)));
      looks.push(bytesOf(directory));
      await store.close();
      expect(said).toBe('cToolResult cStepResult cAnswer');
      for (const look of looks) for (const word of words) expect(look.includes(word), word).toBe(false);
      const holds = (kind: string) => looks.map(look => look.includes(kind));
      // What is looked for would be there: the call is claimed, and its steps and its result are kept.
      const retried = by === 'relay' || era === '2026-07-28';
      expect([holds('claim:'), holds('step:'), holds('result:')]).toEqual(
        retried
          ? [
              [true, true],
              [true, expect.any(Boolean)],
              [expect.any(Boolean), true],
            ]
          : Array(3).fill([false, false]),
      );
      if (ticket !== undefined) expect(looks.join().includes(ticket)).toBe(false);
    },
  );
});

describe('a claim', () => {
  it('a claim answers no guess about an answer: the same answer to two calls leaves two digests', async () => {
    const seen: string[] = [];
    const inner = memoryStore();
    const store: Store = {
      ...inner,
      set(name, value, options) {
        if (name.startsWith('claim:')) seen.push((JSON.parse(value) as { i: string }).i);
        return inner.set(name, value, options);
      },
    };
    const mid = midcall({ key, store, suspectBelowMs: 0, warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
        return { content: [{ type: 'text', text: action }] };
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { value: true } }], { repeat: true });
    await using pair = await connectPair(factory, { era: '2026-07-28', carrier: 'memory', person });
    for (let n = 0; n < 2; n++) await pair.client.callTool({ name: 'act' });
    expect(new Set(seen).size).toBe(2);
  });
});

describe('a sealed store', () => {
  const sealer = () => createSealer(keyRing(key));

  it('a sealed store gives back what it was given, in every method, and says absent where nothing is', async () => {
    const store = sealedStore(memoryStore(), sealer());
    expect(await store.get('a')).toBeUndefined();
    expect(await store.set('a', 'one')).toBe(true);
    expect(await store.set('a', 'two', { ifAbsent: true })).toBe(false);
    expect(await store.get('a')).toBe('one');
    expect(await store.take('a')).toBe('one');
    expect(await store.take('a')).toBeUndefined();
    await store.set('a', '');
    expect(await store.get('a')).toBe('');
    await store.delete('a');
    expect(await store.get('a')).toBeUndefined();
  });

  it('a sealed store opens no value that lies under another key, was changed, or was sealed by a stranger', async () => {
    const inner = memoryStore();
    const store = sealedStore(inner, sealer());
    await store.set('a', 'mine');
    const sealed = (await inner.get('a')) as string;
    await inner.set('b', sealed);
    await inner.set('c', `${sealed.slice(0, -2)}AA`);
    await inner.set('d', 'plain');
    await sealedStore(inner, createSealer(keyRing(new Uint8Array(32).fill(3)))).set('e', 'foreign');
    for (const name of ['b', 'c', 'd', 'e']) {
      await expect(store.get(name)).rejects.toMatchObject({ code: 'store/corrupt' });
      await expect(store.take(name)).rejects.toMatchObject({ code: 'store/corrupt' });
    }
  });
});
