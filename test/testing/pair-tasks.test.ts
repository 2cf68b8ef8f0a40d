/** A connected pair whose client knows tasks: what it is told of a call is what it would be told without them. */
import { type Call, midcall, textOf } from '@midcall/server';
import { connectPair, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { corners } from '../fixtures/corners.ts';
import { grown } from '../fixtures/grown.ts';

const yes = { action: 'accept', content: { value: true } };
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

function serverOf(handler: (call: Call) => Promise<string>, task: 'always' | 'never' | 'when-needed' = 'always') {
  const mid = midcall({
    suspectBelowMs: 0,
    warn: () => {},
    roots: { askWhereDeprecated: true },
    sampling: { askWhereDeprecated: true },
  });
  return () => {
    const server = new McpServer({ name: 'wizard', version: '1.0.0' });
    mid.tool(server, 'act', { task }, async (_, call) => text(await handler(call)));
    return server;
  };
}

/** Asks 12 questions, more than a call of 2026-07-28 has rounds. */
const wizard = async (call: Call): Promise<string> => {
  let agreed = 0;
  for (let n = 1; n <= 12; n += 1) {
    const { action } = await call.elicit({ message: `Question ${n}?`, form: Boolean });
    if (action === 'accept') agreed += 1;
  }
  return `${agreed} of 12`;
};

describe.each(corners)('%s over %s', (era, carrier) => {
  it.each(['always', 'when-needed'] as const)('a wizard of twelve questions is answered as a task (%s)', async task => {
    const person = scriptedPerson([yes], { repeat: true });
    await using pair = await connectPair(serverOf(wizard, task), { era, carrier, person, tasks: true });
    expect(await pair.client.callTool({ name: 'act' })).toMatchObject(text('12 of 12'));
    expect(person.asked.map(({ params }) => params['message'])).toEqual(
      Array.from({ length: 12 }, (_, n) => `Question ${n + 1}?`),
    );
    const methods = pair.frames.map(({ message }) => message['method']);
    expect(methods).toContain(era === '2026-07-28' ? 'tasks/update' : 'tasks/result');
  });

  it('a tool that takes no task is called as before', async () => {
    const person = scriptedPerson([yes]);
    const asks = async (call: Call) => (await call.elicit({ message: 'Sure?', form: Boolean })).action;
    await using pair = await connectPair(serverOf(asks, 'never'), { era, carrier, person, tasks: true });
    expect(await pair.client.callTool({ name: 'act' })).toMatchObject(text('accept'));
    expect(pair.frames.filter(({ message }) => String(message['method']).startsWith('tasks/'))).toEqual([]);
  });

  it('a task may ask for a model, and for folders', async () => {
    const reply = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };
    const person = scriptedPerson([reply], { roots: () => [{ uri: 'file:///work' }] });
    const asks = async (call: Call) => {
      const folders = await call.roots();
      const said = await call.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
        maxTokens: 5,
      });
      return `${textOf(said)} ${folders?.length}`;
    };
    const capabilities = { sampling: {}, roots: {} };
    const options = { era, carrier, person, capabilities, tasks: true };
    await using pair = await connectPair(serverOf(asks), options);
    expect(await pair.client.callTool({ name: 'act' })).toMatchObject(text('hello 1'));
    expect(person.asked.map(({ method }) => method).sort()).toEqual(['roots/list', 'sampling/createMessage']);
  });

  it('close rejects where the script ran out', async () => {
    const person = scriptedPerson([yes]);
    const pair = await connectPair(serverOf(wizard), { era, carrier, person, tasks: true });
    await pair.client.callTool({ name: 'act' }).catch(() => {});
    await expect(pair.close()).rejects.toThrow("no answer left for 'Question 2?'");
  });

  it('a call that is cancelled cancels its task', async () => {
    const person = scriptedPerson(['never']);
    const asks = async (call: Call) => (await call.elicit({ message: 'Sure?', form: Boolean })).action;
    await using pair = await connectPair(serverOf(asks), { era, carrier, person, tasks: true });
    const given = new AbortController();
    const call = pair.client.callTool({ name: 'act' }, { signal: given.signal }).catch((error: Error) => error);
    await person.whenAsked(1);
    given.abort(new Error('no more'));
    expect(await call).toBeInstanceOf(Error);
    await grown(pair.frames, list => list.some(({ message }) => message['method'] === 'tasks/cancel'));
  });
});
