/** When to ask, when not, and asking model and person in one call: rows 000-13 to 000-15 of SYSTEMS.md, in both eras. */
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { samplingTool, textOf } from '@midcall/core/sampling';
import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { copySamples, notesServer } from '../../packages/midcall/src/notes/index.ts';
import { accept, decline } from './stage.ts';

const capabilities = { elicitation: {}, sampling: { tools: {} } };
const says = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'm',
  stopReason: 'endTurn',
});

interface Choices {
  readonly requestedSchema: {
    readonly properties: { readonly note_id: { readonly oneOf: readonly { const: string }[] } };
  };
}
const pick: Scripted = asked =>
  accept({
    note_id: (asked.params as unknown as Choices).requestedSchema.properties.note_id.oneOf[0]!.const,
    confirm: true,
  });

describe.each(eras)('%s', era => {
  async function notes(answers: readonly Scripted[]) {
    const top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-000-')));
    const root = await copySamples(top);
    const person = scriptedPerson(answers);
    const server = notesServer({ directories: [root], suspectBelowMs: 0, warn: () => {} });
    const pair = await connectPair(server.factory, { era, person, capabilities });
    return {
      person,
      pair,
      call: async (name: string, args: Record<string, unknown>) => {
        const result = await pair.client.callTool({ name, arguments: args });
        return { text: (result.content[0] as { text: string }).text, isError: result.isError === true };
      },
      files: async () => (await readdir(root, { recursive: true })).toSorted(),
      async [Symbol.asyncDispose]() {
        await pair.close();
        await rm(top, { recursive: true });
      },
    };
  }

  /** One tool, `act`, with this handler. */
  async function act(handler: (call: Call) => Promise<string>, answers: readonly Scripted[]) {
    const mid = midcall({ warn: () => {}, sampling: { askWhereDeprecated: true } });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', { inputSchema: z.object({ n: z.number().default(1) }) }, async (_, call) => ({
        content: [{ type: 'text', text: await handler(call) }],
      }));
      return server;
    };
    const person = scriptedPerson(answers);
    await using pair = await connectPair(factory, { era, person, capabilities });
    const call = async (args: object) => {
      const result = await pair.client.callTool({ name: 'act', arguments: { ...args } });
      return { text: (result.content[0] as { text: string }).text, isError: result.isError === true };
    };
    return { ...(await call({})), asked: person.asked, call };
  }

  it('000-13: the notes ask to pick one of several, and to confirm what is destructive, which the tool declares', async () => {
    await using at = await notes([pick, decline]);
    expect((await at.call('notes_delete', { title: 'TPS report' })).text).toContain('Deleted TPS report');
    expect((await at.call('notes_archive', { title: 'Boiler service' })).text).toContain('the person said no');
    expect(at.person.asked).toHaveLength(2);
    const { tools } = await at.pair.client.listTools();
    const destructive = tools.filter(tool => tool.annotations?.destructiveHint === true).map(tool => tool.name);
    expect(destructive).toEqual(expect.arrayContaining(['notes_delete', 'notes_archive']));
  });

  it('000-14: a missing argument is an error for the model to mend, and nobody is asked', async () => {
    await using at = await notes([]);
    const before = await at.files();
    for (const args of [{}, { title: '' }, { title: 7 }]) {
      expect((await at.call('notes_delete', args)).isError).toBe(true);
    }
    expect((await at.call('notes_delete', { title: 'No such note' })).text).toContain('No note is called');
    expect(at.person.asked).toEqual([]);
    expect(await at.files()).toEqual(before);
  });

  it('000-14: a question in a loop is stopped: nobody is asked the same a third time', async () => {
    const { text, isError, asked } = await act(
      async call => {
        for (;;) {
          const answer = await call.elicit({ message: 'Sure?', form: Boolean });
          if (answer.action === 'accept') return 'at last';
        }
      },
      [{ action: 'cancel' }, { action: 'cancel' }],
    );
    expect([isError, asked.length]).toEqual([true, 2]);
    expect(text).toContain('asked twice and not accepted');
  });

  it('000-15: a call asks the model and the person', async () => {
    const rename = async (call: Call) => {
      const title = textOf(
        await call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'A title?' } }], maxTokens: 20 }),
      );
      const answer = await call.elicit({ message: `Rename to '${title}'?`, form: Boolean });
      return answer.action === 'accept' && answer.content ? `renamed to ${title}` : 'kept';
    };
    const { text, asked } = await act(rename, [says('Budget'), accept({ value: true })]);
    expect(text).toBe('renamed to Budget');
    expect(asked.map(each => each.method)).toEqual(['sampling/createMessage', 'elicitation/create']);
    expect((await act(rename, [says('Budget'), decline])).text).toBe('kept');
  });

  it('000-15: a tool loop runs its tools once each, and then the person is asked', async () => {
    const ran: string[] = [];
    const look = samplingTool({
      name: 'look',
      description: 'Looks a word up.',
      input: z.object({ word: z.string() }),
      run({ word }) {
        ran.push(word);
        return `${word} means something`;
      },
    });
    const uses = (...words: string[]) => ({
      role: 'assistant',
      content: words.map(word => ({ type: 'tool_use', id: word, name: 'look', input: { word } })),
      model: 'm',
      stopReason: 'toolUse',
    });
    const { text } = await act(
      async call => {
        const { result, iterations } = await call.sampleWithTools({
          messages: [{ role: 'user', content: { type: 'text', text: 'Explain.' } }],
          maxTokens: 100,
          tools: [look],
          maxIterations: 4,
        });
        const answer = await call.elicit({ message: `Keep '${textOf(result)}'?`, form: Boolean });
        return `${answer.action} after ${iterations}`;
      },
      [uses('one', 'two'), uses('three'), says('An explanation'), accept({ value: true })],
    );
    expect(text).toBe('accept after 3');
    expect(ran).toEqual(['one', 'two', 'three']);
  });
});
