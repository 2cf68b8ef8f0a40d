/** What a person pastes into drawn prompts. */
import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Inbox } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { BorrowedInput } from '../../../packages/host/src/terminal/borrowed-input.ts';
import { drawn, letterWith } from './drawn.ts';

const [marking, unmarking] = ['\u001b[?2004h', '\u001b[?2004l'];
const [begin, end] = ['\u001b[200~', '\u001b[201~'];
const [enter, tab, down] = ['\r', '\t', '\u001b[B'];

describe('input-B4: what is pasted into a line of text', () => {
  it.each([
    ['lines and a table', 'first\r\nsecond\rthird\nfourth\tfifth\n', 'first second third fourth fifth'],
    ['keys', 'a\u0003b\u007fc\u0004d\u001be\u001b[Af\u001bO', 'abcde[AfO'],
    ['a word for a key', 'escape', 'escape'],
    ['the mark of a beginning', `a${begin}b`, 'a[200~b'],
    ['letters of other scripts', 'é日👨‍👩‍👧', 'é日👨‍👩‍👧'],
    ['nothing', '', ''],
  ])('stays in it as text, and the person presses Enter: %s', async (_, pasted, text) => {
    const { terminal, type, until } = drawn();
    const answers: unknown[] = [];
    const first = terminal.ask({ message: 'Name', initial: '>' }).then(answer => answers.push(answer));
    await until('Name');
    type(`${begin}${pasted}${end}`, '<', enter);
    await first;
    expect(answers).toEqual([`>${text}<`]);
  });

  it('stays in it wherever it is divided', async () => {
    const whole = `${begin}one\ntwo${end}`;
    for (let at = 1; at < whole.length; at += 1) {
      const { terminal, type, until } = drawn();
      const answer = terminal.ask({ message: 'Name' });
      await until('Name');
      type(whole.slice(0, at), whole.slice(at), enter);
      expect(await answer).toBe('one two');
    }
  });

  it('stays in it however long it is', async () => {
    const terminal = new PassThrough();
    const input = new BorrowedInput(terminal);
    emitKeypressEvents(input);
    const pasted = new Promise(resolve => input.on('keypress', resolve));
    input.borrow();
    const text = 'a long text '.repeat(50_000);
    terminal.write(`${begin}${text}${end}`);
    expect(await pasted).toBe(text);
    input.close();
  });

  it('is no part of a secret beyond its own line', async () => {
    const { terminal, type, until, written } = drawn();
    const answer = terminal.ask({ message: 'Key', secret: true });
    await until('Key');
    type(`${begin}s3cret\n${end}`, enter);
    expect(await answer).toBe('s3cret');
    expect(written()).not.toContain('s3cret');
  });
});

describe('input-B4: what is pasted into a list', () => {
  const list = (length: number) => Array.from({ length }, (_, at) => ({ value: `v${at}`, label: `day ${at}` }));

  it('moves nothing, and chooses nothing', async () => {
    const { terminal, type, until } = drawn();
    const answer = terminal.choose({ message: 'Which day?', choices: list(3) });
    await until('Which day?');
    type(`${begin}jj\r${end}`, down, enter);
    expect(await answer).toBe('v1');
  });

  it('is searched for in a long one', async () => {
    const { terminal, type, until } = drawn();
    const answer = terminal.choose({ message: 'Which day?', choices: list(20) });
    await until('Which day?');
    type(`${begin}day\n17\n${end}`);
    await until('day 17');
    type(enter);
    expect(await answer).toBe('v17');
  });
});

it('input-B4: what is pasted into check boxes ticks none', async () => {
  const { terminal, type, until } = drawn();
  const inbox = new Inbox();
  inbox.present(terminal);
  const fields = [
    { kind: 'multi-select', name: 'days', required: false, choices: [{ value: 'a', title: 'A' }] },
  ] as const;
  const answer = inbox.ask({ ...letter, fields });
  await until('What do you want to do?');
  type(enter);
  await until('Space ticks');
  for (const text of [' ', 'a', 'i', '\u3000']) type(`${begin}${text}${end}`);
  type(enter);
  await until('Send it?');
  type(enter);
  expect(await answer).toHaveProperty('content', {});
});

const letter = letterWith([
  { kind: 'text', name: 'text', required: true, minLength: 3, maxLength: 5_000 },
  { kind: 'text', name: 'sender', required: true },
]);

it('input-B4: what is pasted into a text of several lines keeps its lines, and no other field gets any of it', async () => {
  const { terminal, type, until, written } = drawn();
  const inbox = new Inbox();
  inbox.present(terminal);
  const answer = inbox.ask(letter);
  await until('What do you want to do?');
  type(enter);
  await until('Tab, then Enter');
  type(`${begin}Dear Ann 👍,\r\n\r\n\tBen\n${end}`);
  await until('Ben');
  type('👍!', tab, enter);
  await until('Sender (required)');
  type(`${begin}Ben\nHill${end}`, enter);
  await until('Send it?');
  expect(written().split(marking)).toHaveLength(2);
  expect(written()).not.toContain(unmarking);
  type(enter);
  expect(await answer).toMatchObject({ content: { text: 'Dear Ann 👍,\n\n Ben\n👍!', sender: 'Ben Hill' } });
  await terminal.idle();
  expect(written().endsWith(unmarking)).toBe(true);
});

it.each([
  ['in the next question', false, ['two\n', end, '!', enter], 'one two!'],
  ['where the host reads meanwhile', true, ['two', enter], 'two'],
])('input-B4: the end of a paste comes after its question: %s', async (_, isRead, keys, text) => {
  const { terminal, input, type, until } = drawn();
  if (isRead) input.resume();
  const first = terminal.ask({ message: 'Name' });
  await until('Name');
  type(`${begin}one\n`);
  await new Promise(setImmediate);
  terminal.interrupt();
  expect(await first).toBeUndefined();
  // The prompt is drawn once more, as one that is over.
  await until('■');
  await until('Name');
  const second = terminal.ask({ message: 'Name' });
  await until('Name');
  type(...keys);
  expect(await second).toBe(text);
});

it('input-B4: Ctrl-C that is typed while a paste has not ended leaves the prompt', async () => {
  const { terminal, type, until } = drawn();
  const answer = terminal.ask({ message: 'Name' });
  await until('Name');
  type(`${begin}one\u0003\n`, '\u0003');
  expect(await answer).toBeUndefined();
  const second = terminal.ask({ message: 'Name' });
  await until('Name');
  type('two', enter);
  expect(await second).toBe('two');
});

it('pastes are not marked where prompts are plain lines', async () => {
  const { terminal, type, until, written } = drawn(true);
  const answer = terminal.ask({ message: 'Name' });
  await until('Name');
  type(`one${enter}`);
  expect(await answer).toBe('one');
  expect(written()).not.toContain('\u001b');
});
