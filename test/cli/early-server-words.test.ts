/** Which command lines start the server of a bridge before they are parsed: only those that the parser accepts as they are. */

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { register } from '../../packages/midcall/src/cli/bridge.ts';
import { type BridgeFlags, checkHttpFlags } from '../../packages/midcall/src/cli/bridge-flags.ts';
import { earlyServerWords } from '../../packages/midcall/src/cli/early-server-words.ts';
import { chooseEra, chooseServer } from '../../packages/midcall/src/cli/server-choice.ts';
import { wordsAfterDashes } from '../../packages/midcall/src/cli/server-flags.ts';

/** The command of the server that a whole parse leads to; undefined if the command line is refused, or means anything else. */
async function parsed(argv: readonly string[]): Promise<readonly string[] | undefined> {
  let words: readonly string[] | undefined;
  const program = new Command('midcall').enablePositionalOptions().exitOverride();
  program.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const command = program.command('bridge').exitOverride();
  register(command);
  command.action((_: unknown, flags: BridgeFlags) => {
    checkHttpFlags(flags);
    chooseEra(flags);
    const { target } = chooseServer(flags, wordsAfterDashes(argv));
    if (flags.http === undefined && target.kind === 'command') words = [target.command, ...target.args];
  });
  await program.parseAsync([...argv]).catch(() => {});
  return words;
}

const values = ['auto', '2025-11-25', '2026-07-28', '2025', '2026', '1999', '', 'toString', '--', '--link', 'x'];
const options = [
  ...['--era', '--link', '--trust-host', '--url', '--http', '--root', '--config', '--server', '--auth', '--help'],
  ...['-h', '-V', '--version', '--rules', '--audit', '--host', '--redis', '--unknown', '-x', '--no-link', 'word'],
];
const before: readonly (readonly string[])[] = [
  [],
  ...options.map(option => [option]),
  ...options.flatMap(option => [...values.map(value => [option, value]), [`${option}=auto`]]),
  ...options.flatMap(option => [
    ['--link', option, 'auto'],
    ['--era', '2026', option],
    ['--era', 'x', option],
  ]),
];
const after: readonly (readonly string[])[] = [[], [''], ['node', 's.js'], ['node', '--', '--url', 'x'], ['--help']];

it('only a command line that the parser accepts starts a server early, and only the one it leads to (early-server-E1)', async () => {
  let plain = 0;
  for (const name of ['bridge', 'call', 'help', '--link']) {
    for (const some of before) {
      for (const server of [undefined, ...after]) {
        const argv = ['node', 'midcall', name, ...some, ...(server ? ['--', ...server] : [])];
        const words = earlyServerWords(argv);
        if (!words) continue;
        plain += 1;
        expect(words, argv.join(' ')).toEqual(await parsed(argv));
      }
    }
  }
  expect(plain).toBeGreaterThan(40);
});

it('the early start knows the usual command lines as plain', () => {
  for (const some of [[], ['--link'], ['--era', '2026-07-28'], ['--trust-host', '--era', 'auto', '--link']])
    expect(earlyServerWords(['node', 'midcall', 'bridge', ...some, '--', 'npx', '-y', 'a-server'])).toEqual([
      'npx',
      '-y',
      'a-server',
    ]);
});
