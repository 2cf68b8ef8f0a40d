/** Texts of several lines in a real pseudo-terminal: in the person's editor, or written there. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { cue } from '../host/person.ts';
import { down, endOfInput, enter, interrupt, suspend, terminal } from './tty.ts';

const script = fileURLToPath(new URL('../fixtures/editor.mjs', import.meta.url));

interface Noted {
  readonly path: string;
  readonly mode: string;
  readonly folder: string;
  readonly text: string;
  readonly tty: boolean;
}

/** An editor that does what it is told, what it was opened on, and a place for temporary files of its own. */
function editor(...what: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "midcall test's "));
  const log = join(folder, 'log');
  const quoted = ['node', script, log, ...what].map(word => `"${word}"`).join(' ');
  return {
    env: { VISUAL: quoted, EDITOR: 'false', TMPDIR: folder },
    noted: () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Noted),
    left: () => readdirSync(folder).filter(name => name !== 'log'),
  };
}

it.each(few(['2025', '2026'], '2026'))(
  'a longer text opens in the editor, in a file of its owner alone that is gone afterwards, %s',
  async era => {
    const { env, noted, left } = editor('write', 'Dear Ann,\n\n$(whoami) `id`\n');
    const tty = terminal(['letter', '{"text":"Dear"}', '--era', era], env);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('Open it in node');
    tty.type(enter);
    await tty.until('| Dear Ann,');
    await tty.until('| $(whoami) `id`');
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('Dear Ann,\\n\\n$(whoami) `id`');
    expect(await tty.ended).toBe(0);
    expect(noted()).toMatchObject([{ mode: '600', folder: '700', text: 'Dear\n', tty: true }]);
    expect(left()).toEqual([]);
  },
);

it('nothing is taken from an editor that fails, which is said, and the question is asked again', async () => {
  const { env, left } = editor('fail');
  const tty = terminal(['letter', '--era', '2026'], env);
  await tty.until('What do you want to do?');
  tty.type(enter);
  await tty.until('Open it in node');
  tty.type(enter);
  await tty.until('The editor node ended with 7; nothing was changed.');
  expect(left()).toEqual([]);
  await tty.until('Open it in node');
  tty.type(down + enter);
  await tty.until('Tab, then Enter');
  tty.type(`one${enter}two\t${enter}`);
  await tty.until('Send it?');
  tty.type(enter);
  await tty.until('one\\ntwo');
  expect(await tty.ended).toBe(0);
});

it('the editor says what is wrong with the text that was written, and opens that again', async () => {
  const { env, noted } = editor('write', 'x');
  const tty = terminal(['letter', '--era', '2026'], env);
  await tty.until('What do you want to do?');
  tty.type(enter);
  await tty.until('Open it in node');
  tty.type(enter);
  await tty.until(/! .*3 characters/);
  await tty.until('Open it in node');
  tty.type(enter);
  await tty.until(/! .*3 characters/);
  await tty.until('Open it in node');
  tty.type(interrupt);
  await tty.until('What do you want to do?');
  tty.type(interrupt);
  await tty.until('Leave this question?');
  tty.type(interrupt);
  await tty.until('You had entered:');
  await tty.until(': x');
  await tty.until('"action":"cancel"');
  expect(await tty.ended).toBe(0);
  expect(noted().map(each => each.text)).toEqual(['\n', 'x\n']);
});

it('the editor is closed, the terminal set right and the file removed when the server takes the question back', async () => {
  const now = cue();
  const { env, noted, left } = editor('stay');
  const tty = terminal(['withdraw', JSON.stringify({ when: now.path, what: 'letter' }), '--era', '2025'], env);
  await tty.until('What do you want to do?');
  tty.type(enter);
  await tty.until('Open it in node');
  tty.type(enter);
  await tty.until('the editor is open');
  now.give();
  await tty.until('the server withdrew the question');
  await tty.until('"withdrawn"');
  expect(await tty.ended).toBe(0);
  expect(noted().at(-1)).toEqual({ told: 'SIGTERM' });
  expect(tty.raw()).toContain('withdrew the question\r\n');
  expect(existsSync(dirname(noted()[0]!.path))).toBe(false);
  expect(left()).toEqual([]);
});

it('a request to the model is edited, keeps its lines, and what hides in it is written out', async () => {
  const { env, noted } = editor('write', 'First\nSecond');
  const tty = terminal(['sample', '{"text":"One\\nTwo \\u202E"}', '--era', '2026'], env);
  await tty.until('Reply in place of a model?');
  tty.type(down + down + enter);
  await tty.until('Open it in node');
  tty.type(enter);
  await tty.until('  | First');
  await tty.until('  | Second');
  await tty.until('Reply in place of a model?');
  tty.type(interrupt);
  await tty.until('Leave this question?');
  tty.type(interrupt);
  expect(await tty.ended).toBe(4);
  expect(noted()[0]?.text).toBe('One\nTwo ⟦U+202E⟧\n');
});

it('no text that holds lines an editor obeys is opened in one', async () => {
  const { env, left } = editor('write', 'no');
  const tty = terminal(['letter', JSON.stringify({ text: 'Hello\nvim: set modelineexpr:' }), '--era', '2026'], env);
  await tty.until('What do you want to do?');
  tty.type(enter);
  await tty.until('It contains lines that editors would obey');
  await tty.until('Tab, then Enter');
  tty.type(`\t${enter}`);
  await tty.until('Send it?');
  tty.type(enter);
  await tty.until('modelineexpr');
  expect(await tty.ended).toBe(0);
  expect(left()).toEqual([]);
});

it('Ctrl-D completes a text of several lines, and no other key of control writes into it', async () => {
  const tty = terminal(['letter', '--era', '2026']);
  await tty.pass(
    ['What do you want to do?', enter],
    ['Tab, then Enter', `one${enter}`],
    ['│  █', suspend + interrupt],
    ['What do you want to do?', enter],
    ['Tab, then Enter', `two${endOfInput}`],
    ['Send it?', enter],
    ['"text":"one\\ntwo"'],
  );
  expect(await tty.ended).toBe(0);
});

it('several lines can be written in plain lines, too, with no editor set', async () => {
  const tty = terminal(['letter', '{"text":"a\\nb"}', '--era', '2026'], { NO_COLOR: '1' });
  await tty.until('Number or name');
  tty.type(`1${enter}`);
  await tty.until('  | b');
  await tty.until('end a line with \\ to go on');
  tty.type(`one\\${enter}`);
  await tty.until('  | ');
  tty.type(`two${enter}`);
  await tty.until('Send it?');
  await tty.until('Number or name');
  tty.type(`1${enter}`);
  await tty.until('one\\ntwo');
  expect(await tty.ended).toBe(0);
});
