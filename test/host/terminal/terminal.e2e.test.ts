/** A host with a terminal of its own, in which it also asks. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { enter, inTerminal } from '../../cli/tty.ts';

const host = fileURLToPath(new URL('./terminal-host.mjs', import.meta.url));

it.each([
  ['readline', false],
  ['readline', true],
  ['data', false],
  ['data', true],
  ['later', false],
  ['later', true],
])(
  'input-B1, input-B2: a host that reads by %s hears the lines after a question, and nothing of the answers; plain lines: %s',
  async (reader, plain) => {
    const tty = inTerminal([host, reader, String(plain)]);
    await tty.pass(
      ['Your key', `s3cret${enter}`],
      ['got <6>'],
      ['as found: true'],
      [plain ? 'Number or name:' : 'Enter: confirm', plain ? `1${enter}` : enter],
      ['Color (required)', `red${enter}`],
      [plain ? 'Number or name:' : 'Enter: confirm', plain ? `send${enter}` : enter],
      ['chose <red>'],
      ['as found: true'],
      ['listening', `hello${enter}`],
      ['heard <hello>', `end${enter}`],
    );
    expect(await tty.ended).toBe(0);
    expect(tty.text()).not.toContain('s3cret');
    expect(tty.text().match(/heard <.*>/g)).toEqual(['heard <hello>', 'heard <end>']);
  },
);
