/** The two views of what is neither a form nor a page: both show the same, and give the same answer. */
import { PassThrough } from 'node:stream';
import { type FormQuestion, Inbox, type Question, type RootsQuestion, type SamplingReplyQuestion } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { describe, expect, it } from 'vitest';
import { enter } from '../../web/client.ts';
import { pickOne, shareRoots, stage, useModel, useReply } from '../../web/stage.ts';

/** What one view showed, and how the question ended. */
interface Seen {
  readonly text: string;
  readonly ending: object;
}

/** In a terminal of plain lines. */
async function inTerminal(question: Question, lines: readonly string[]): Promise<Seen> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', chunk => (text += chunk));
  const inbox = new Inbox();
  const terminal = new Terminal({ input, output, plain: true });
  inbox.present(terminal);
  const ended = inbox.ask(question);
  input.end(lines.map(line => `${line}\n`).join(''));
  const { via: _, ...ending } = (await ended) as Record<string, unknown>;
  terminal.close();
  return { text, ending };
}

/** On the desk, by a plain form. */
async function onDesk(question: Question, fields: Record<string, string>): Promise<Seen> {
  await using on = await stage();
  const visitor = await enter(on.desk);
  const ended = on.inbox.ask(question);
  const first = await visitor.get(`/questions/${question.id}`);
  const { location } = first.headers;
  const shown = location === undefined ? first : await visitor.get(String(location));
  await visitor.post(`/questions/${question.id}`, fields);
  const { via: _, ...ending } = (await ended) as Record<string, unknown>;
  return { text: shown.text.replaceAll('&quot;', '"'), ending };
}

describe('the terminal and the desk', () => {
  it('sampling-07, sampling-09, sampling-10: the terminal and the desk show who asks, prompt, tools and limit, and pass on what was changed', async () => {
    const views = [
      await inTerminal(useModel('v1'), ['system', 'Be kind.', 'send']),
      await onDesk(useModel('v1'), { action: 'accept', system: 'Be kind.' }),
    ];
    for (const { text, ending } of views) {
      for (const shown of ['notes', 'summarise', 'You are terse.', 'Summarise:', 'call Ann', 'lookup', '400'])
        expect(text).toContain(shown);
      expect(text).toContain('includeContext: thisServer');
      expect(ending).toEqual({ how: 'answered', content: { systemPrompt: 'Be kind.' } });
    }
  });

  it('sampling-08, sampling-09: the terminal and the desk let a request be declined, and one be dismissed', async () => {
    for (const [action, how] of [
      ['decline', 'declined'],
      ['dismiss', 'dismissed'],
    ] as const) {
      expect((await inTerminal(useModel('v2'), [action])).ending).toEqual({ how });
      expect((await onDesk(useModel('v2'), { action })).ending).toEqual({ how });
    }
  });

  it('sampling-11, sampling-30: the terminal and the desk show a reply, the tools it asks for and their arguments, before it is handed over', async () => {
    const reply = (): Question => ({
      ...(useReply('v3') as SamplingReplyQuestion),
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Paris' } },
      ],
      stopReason: 'toolUse',
    });
    for (const { text, ending } of [
      await inTerminal(reply(), ['send']),
      await onDesk(reply(), { action: 'accept', 'c.b0': 'Let me look.' }),
    ]) {
      for (const shown of ['Let me look.', 'weather', '"city"', 'Paris']) expect(text).toContain(shown);
      expect(ending).toEqual({ how: 'answered', content: {} });
    }
    for (const { ending } of [await inTerminal(reply(), ['decline']), await onDesk(reply(), { action: 'decline' })])
      expect(ending).toEqual({ how: 'declined' });
  });

  it('the terminal and the desk show the prompt beside the reply to it, and how the server wishes the model to run, in both', async () => {
    for (const question of [useModel('v9'), useReply('v9')])
      for (const { text } of [await inTerminal(question, ['decline']), await onDesk(question, { action: 'decline' })]) {
        for (const shown of ['You are terse.', 'Summarise:', 'call Ann', '400', 'lookup', 'llama, claude'])
          expect(text).toContain(shown);
        for (const shown of ['low cost 0.2, speed 0.9', '0.7', '"END"', 'auto', '{"example.com/trace":7}'])
          expect(text).toContain(shown);
      }
  });

  it('the terminal and the desk take no empty reply that was written by hand, say so, and take the one written then', async () => {
    const reply = useReply('v10') as SamplingReplyQuestion;
    const empty = { ...reply, model: { ...reply.model, byHand: true }, content: [{ type: 'text', text: '' }] };
    const written = { how: 'answered', content: { content: [{ type: 'text', text: 'Call her.' }] } };
    const { ending, text } = await inTerminal(empty, ['send', 'text', ' ', 'text', 'Call her.', 'send']);
    expect(ending).toEqual(written);
    expect(text).not.toContain('2. Send to the server');
    await using on = await stage();
    const visitor = await enter(on.desk);
    const ended = on.inbox.ask(empty);
    const path = `/questions/${empty.id}`;
    for (const text of ['', ' \n', '\u200B']) {
      const refused = await visitor.post(path, { action: 'accept', 'c.b0': text });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('The reply is empty. Write it, or refuse the request');
    }
    await visitor.post(path, { action: 'accept', 'c.b0': 'Call her.' });
    expect(await ended).toMatchObject(written);
  });

  it('sampling-80: neither the terminal nor the desk lets the limit of tokens be raised', async () => {
    const raised = await inTerminal(useModel('v4'), ['limit of tokens', '401', '300', 'send']);
    expect(raised.text).toContain('Write a whole number from 1 to 400.');
    expect(raised.ending).toEqual({ how: 'answered', content: { maxTokens: 300 } });
    expect((await onDesk(useModel('v4'), { action: 'accept', maxTokens: '401' })).ending).toEqual({
      how: 'answered',
      content: {},
    });
  });

  it('the terminal and the desk show a form that no author of ours may write, send an emptied text as such, and say what is not checked', async () => {
    const question = (): FormQuestion => ({
      ...pickOne('v6'),
      fields: [
        { kind: 'json', name: 'size', required: true, shape: '{"type":"object"}', unchecked: ["'$dynamicRef'"] },
        { kind: 'select', name: 'count', required: true, choices: [1, 2].map(value => ({ value, title: `${value}` })) },
        { kind: 'text', name: 'note', required: false, default: 'As before' },
      ],
      schema: { properties: { size: { type: 'object', required: ['width'] } } },
      notes: ["'gone' is required, but the form has no such field."],
    });
    const content = { size: { width: 1 }, count: 2, note: '' };
    for (const { text, ending } of [
      await inTerminal(question(), ['answer', '{"width":1}', '2', '-', 'send']),
      await onDesk(question(), { action: 'accept', f0: '{"width":1}', f1: '1', f2: '' }),
    ]) {
      expect(text).toContain('JSON that fits {"type":"object"}');
      expect(text).toMatch(/not checked here: ('|&#39;)\$dynamicRef/i);
      expect(text).toMatch(/('|&#39;)gone('|&#39;) is required, but the form has no such field/);
      expect(ending).toEqual({ how: 'answered', content });
    }
  });

  it('the terminal and the desk say of a pattern that it is not checked here, and take the answer', async () => {
    const question = (): FormQuestion => ({
      ...pickOne('v5'),
      fields: [{ kind: 'text', name: 'code', required: true, uncheckedPattern: `^(?=a)${'b'.repeat(900)}$` }],
    });
    for (const { text, ending } of [
      await inTerminal(question(), ['answer', 'anything', 'send']),
      await onDesk(question(), { action: 'accept', f0: 'anything' }),
    ]) {
      expect(text).toMatch(/not checked here: must match \^\(\?=a\)bbb/i);
      expect(ending).toEqual({ how: 'answered', content: { code: 'anything' } });
    }
  });

  it('roots-06, roots-23, roots-37: the terminal and the desk ask which directories to tell of, a nameless one by its address, and grant the same', async () => {
    const question = (): RootsQuestion => ({
      ...(shareRoots() as RootsQuestion),
      roots: [{ uri: 'file:///home/ada/notes' }, { uri: 'file:///home/ada/work', name: 'work' }],
    });
    const content = { uris: ['file:///home/ada/notes'] };
    for (const { text, ending } of [
      // Enter alone chooses nothing.
      await inTerminal(question(), ['some', '', '1']),
      await onDesk(question(), { action: 'accept', roots: '0' }),
    ]) {
      for (const shown of ['notes', 'file:///home/ada/notes', 'file:///home/ada/work']) expect(text).toContain(shown);
      expect(ending).toEqual({ how: 'answered', content });
    }
  });
});
