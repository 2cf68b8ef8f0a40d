/** A secret in an answer: the server that asked gets it, and nobody else does; on the wire of both revisions. */
import { PassThrough } from 'node:stream';
import { Audit, type Ending, type FormQuestion, Inbox, type InboxEvent, mask, type Presenter } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { argumentsDigest } from '../../../packages/host/src/audit/audit-entry.ts';
import { pickOne } from '../../web/stage.ts';
import { nextQuestion } from '../person.ts';
import { wired } from '../wire-server.ts';

const secret = 'hunter2-and-more';
const card = '4111 1111 1111 1111';
const content = { password: secret, pin: '1234', note: card, nickname: 'ada' };
const string = { type: 'string' };

describe.each(eras)('%s', era => {
  it('a secret reaches the server as it was typed; views, events, endings and the record have the mask', async () => {
    const audit = new Audit();
    const inbox = new Inbox();
    const events: InboxEvent[] = [];
    const reasons: Ending[] = [];
    inbox.subscribe(event => events.push(event));
    const other: Presenter = {
      via: 'other',
      show: (_, { ended }) => ended.addEventListener('abort', () => reasons.push(ended.reason)),
    };
    const host = await wired(era, {
      inbox,
      audit,
      present: [other],
      tool: wire =>
        wire.ask({
          mode: 'form',
          message: 'Who are you?',
          requestedSchema: {
            type: 'object',
            properties: { password: string, pin: string, note: string, nickname: string },
          },
        }),
    });
    const outcome = host.call({ api_key: secret, deep: [{ token: secret }], city: 'Bonn' });
    const question = await nextQuestion(inbox);
    expect(await inbox.reply(question.id, { action: 'accept', content }, 'script')).toEqual({ ok: true });
    expect(await outcome).toEqual({ action: 'accept', content });
    const late = await inbox.reply(question.id, { action: 'accept', content }, 'script');
    const masked = {
      how: 'answered',
      via: 'script',
      content: { password: mask, pin: mask, note: mask, nickname: 'ada' },
    };
    expect([inbox.ending(question.id), reasons, late]).toEqual([
      masked,
      [masked],
      { ok: false, problem: 'ended', ending: masked },
    ]);
    const told = events.flatMap(event => (event.type === 'ended' ? [event.ending] : []));
    expect(told).toEqual([masked]);
    for (const kept of [audit.export(), JSON.stringify(reasons)])
      for (const each of [secret, card]) expect(kept).not.toContain(each);
    expect(audit.export()).toContain('password: asks for a secret, pin: asks for a secret, note, nickname');
  });
});

it('a secret that a view gives while it is shown the question reaches its asker once, and then as its mask', async () => {
  const inbox = new Inbox();
  const question: FormQuestion = {
    ...pickOne(undefined),
    fields: [{ kind: 'text', name: 'password', required: true }],
  };
  const stopped = new AbortController();
  inbox.present({
    via: 'quick',
    show: (_, { reply }) => void reply({ action: 'accept', content: { password: secret } }),
  });
  expect(await inbox.ask(question, { signal: stopped.signal })).toMatchObject({ content: { password: secret } });
  expect(await inbox.ask(question)).toMatchObject({ content: { password: mask } });
});

it('a secret cannot be guessed from the digest of a call’s arguments', () => {
  const call = (args: Record<string, unknown>) => ({ id: 'c', kind: 'tool', name: 't', arguments: args }) as const;
  expect(argumentsDigest(call({ pin: '1234' }))).toBe(argumentsDigest(call({ pin: '9876' })));
  expect(argumentsDigest(call({ city: 'Bonn' }))).not.toBe(argumentsDigest(call({ city: 'Rome' })));
});

describe('a terminal', () => {
  const question: FormQuestion = {
    ...pickOne('s'),
    call: { id: 's', kind: 'tool', name: 'sign_in', arguments: { api_key: secret } },
    fields: [
      { kind: 'text', name: 'password', required: true },
      { kind: 'text', name: 'token', required: false },
      { kind: 'text', name: 'text', title: 'Private key', required: false },
      { kind: 'text', name: 'note', required: false },
    ],
  };

  async function typed(tty: boolean, keys: readonly string[]) {
    const input = Object.assign(new PassThrough(), tty ? { isTTY: true, setRawMode: () => input } : {});
    const output = new PassThrough();
    let text = '';
    output.on('data', part => (text += part));
    const inbox = new Inbox();
    const environment = { EDITOR: 'false' };
    const terminal = new Terminal({ input, output, plain: true, environment });
    inbox.present(terminal);
    const ending = inbox.ask(question);
    input.write(keys.map(line => `${line}${tty ? '\r' : '\n'}`).join(''));
    const ended = await ending;
    await terminal.idle();
    terminal.close();
    return { ended, text };
  }

  it.each([
    ['key by key', true],
    ['line by line', false],
  ])('a terminal asks for a secret in our own words, and never shows it: %s', async (_, tty) => {
    const token = 'tok-1-abcdef';
    const key = 'key-2-abcdef';
    const { ended, text } = await typed(tty, [
      '1',
      secret,
      token,
      key,
      card,
      'change',
      'password',
      '',
      'change',
      'token',
      '-',
      'send',
    ]);
    expect(ended).toEqual({ how: 'answered', via: 'terminal', content: { password: secret, text: key, note: card } });
    expect(text.replace(/\s+/g, ' ')).toContain('! This server asks for a secret in a form.');
    expect(text).toContain('This looks like a card number.');
    expect(text).toContain(`Password: ${mask}`);
    for (const each of [secret, token, key]) expect(text).not.toContain(each);
    // What is no secret by its name is shown as it is typed, and not again.
    expect(text.split(card).length - 1).toBe(tty ? 1 : 0);
  });

  it('a terminal leaves a secret out of what was entered, where the question ends before it is answered', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const inbox = new Inbox();
    const terminal = new Terminal({ input, output, plain: true });
    let text = '';
    const asksForToken = new Promise<void>(resolve => {
      output.on('data', part => {
        text += part;
        if (text.includes('Token (optional)')) resolve();
      });
    });
    inbox.present(terminal);
    const ending = inbox.ask(question);
    input.write(`1\n${secret}\n`);
    await asksForToken;
    inbox.end(question.id, { how: 'withdrawn' });
    await ending;
    await terminal.idle();
    terminal.close();
    expect(text).toContain(`Not sent. You had entered:\n  Password: ${mask}`);
    expect(text).not.toContain(secret);
  });
});
