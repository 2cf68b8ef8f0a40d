/** Keys in a text of several lines, where a character may be two UTF-16 units. */
import { Inbox } from '@midcall/host';
import { expect, it } from 'vitest';
import { drawn, letterWith } from './drawn.ts';

const [enter, tab, backspace, remove] = ['\r', '\t', '\u007f', '\u001b[3~'];
const [up, down, right, left] = ['\u001b[A', '\u001b[B', '\u001b[C', '\u001b[D'];

const letter = letterWith([{ kind: 'text', name: 'text', required: true, maxLength: 5_000 }]);

it.each([
  ['more is typed after it', '👍ok', '👍ok'],
  ['Backspace removes it', `a👍c${left}${backspace}b`, 'abc'],
  ['Delete removes it', `a👍c${left}${left}${remove}b`, 'abc'],
  ['Left goes before it', `a👍${left}b`, 'ab👍'],
  ['Right goes behind it', `a👍c${left}${left}${right}b`, 'a👍bc'],
  ['Up goes before it', `a👍${enter}cd${up}b`, 'ab👍\ncd'],
  ['Down goes before it', `cd${enter}a👍${up}${down}b`, 'cd\nab👍'],
  ['Backspace removes one of one unit at the beginning', `b${backspace}ac👍`, 'ac👍'],
  ['Delete removes one of one unit behind the first', `abc${left}${left}${remove}d👍`, 'ad👍c'],
  ['a key without a meaning writes nothing', `a\u0001👍b`, 'a👍b'],
])('a character of two units is one in a text of several lines: %s', async (_, keys, text) => {
  const { terminal, type, until } = drawn();
  const inbox = new Inbox();
  inbox.present(terminal);
  const answer = inbox.ask(letter);
  await until('What do you want to do?');
  type(enter);
  await until('Tab, then Enter');
  type(keys, tab, enter);
  await until('Send it?');
  type(enter);
  expect(await answer).toMatchObject({ content: { text } });
});
