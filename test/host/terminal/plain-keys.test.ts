/** Keys in a plain line of a terminal. */
import { PassThrough } from 'node:stream';
import { Terminal } from '@midcall/host/terminal';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

it.each([
  [false, '日', '日\b\b  \b\b'],
  [false, 'é', 'é\b \b'],
  [true, '日', '*\b \b'],
  [false, '', ''],
])('Backspace erases all that was written for a character; secret: %j, %j', async (secret, character, written) => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = new PassThrough();
  const parts: string[] = [];
  output.on('data', part => parts.push(String(part)));
  const terminal = new Terminal({ input, output, plain: true });
  onTestFinished(() => terminal.close());
  const answer = terminal.ask({ message: 'Name', secret });
  await grown(parts, () => parts.join('').includes('Name: '));
  input.write(`${character}\u007fA\r`);
  expect(await answer).toBe('A');
  expect(parts.join('')).toBe(`Name: ${written}${secret ? '*' : 'A'}\n`);
});
