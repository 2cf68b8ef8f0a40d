/** The dialog that asks before a call is made, on plain lines. */
import { PassThrough } from 'node:stream';
import { type CallQuestion, Inbox } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

const question: CallQuestion = {
  kind: 'call',
  id: 'q1',
  asker: { id: 'files', name: 'files', origin: 'node files.mjs', era: '2026-07-28' },
  askedAt: 0,
  call: {
    id: 'c1',
    kind: 'tool',
    name: 'edit_file',
    arguments: { path: '/a.md', oldText: 'one', newText: 'two\n\u001b[2Jthree', token: 'hunter2-of-the-call' },
  },
  why: 'rule 2 says ask',
  labels: { path: 'File to change' },
};

it.each([
  ['1', 'answered'],
  ['2', 'declined'],
  ['3', 'dismissed'],
  ['', 'dismissed'],
])('shows the arguments, and ends by the choice that is made: "%s" is %s', async (typed, how) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const inbox = new Inbox();
  const view = new Terminal({ input, output, plain: true });
  onTestFinished(() => view.close());
  inbox.present(view);
  const ending = inbox.ask(question);
  await grown(said, () => said.join('').includes('Make this call?'));
  const text = said.join('');
  expect(text).toContain('== Midcall asks before a call ==');
  expect(text).toContain('The call of edit_file has not been made. You are asked because rule 2 says ask.');
  expect(text).toContain('File to change: /a.md');
  expect(text).toMatch(/oldText → newText, before:\n {2}\| one\n {2}oldText → newText, after:\n {2}\| two\n/);
  expect(text).not.toContain('\u001b[2J');
  expect(text).not.toContain('hunter2-of-the-call');
  input.write(`${typed}\n`);
  expect(await ending).toMatchObject({ how });
});

const grants = {
  scopes: ['exact', 'fields', 'tool'],
  fields: ['repo', 'n'],
  ends: ['session', 'hour'],
  recent: [
    { exact: true, fields: ['repo', 'n'] },
    { exact: false, fields: ['repo'] },
    { exact: false, fields: [] },
  ],
} as const;

it.each<readonly [string, readonly string[], object]>([
  ['exactly these', ['2', '1', '2'], { grant: { scope: 'exact', end: 'hour' } }],
  ['equal fields', ['2', '2', '1', '1'], { grant: { scope: 'fields', fields: ['repo'], end: 'session' } }],
  ['the tool', ['2', '3', '1'], { grant: { scope: 'tool', end: 'session' } }],
])(
  'lets later calls pass as far as the person chooses, and says before what that would have let pass: %s',
  async (_, typed, content) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const said: string[] = [];
    output.on('data', part => said.push(String(part)));
    const inbox = new Inbox();
    const view = new Terminal({ input, output, plain: true });
    onTestFinished(() => view.close());
    inbox.present(view);
    const ending = inbox.ask({ ...question, grants });
    for (const [at, line] of typed.entries()) {
      const message =
        ['Make this call?', 'Which calls may pass', at === typed.length - 1 ? 'For how long?' : 'Which arguments'][
          at
        ] ?? 'For how long?';
      await grown(said, () => said.join('').includes(message));
      input.write(`${line}\n`);
    }
    expect(await ending).toMatchObject({ how: 'answered', content });
    expect(said.join('')).toContain('would have let pass 1 of the last 3');
    expect(said.join('')).toContain('would have let pass 3 of the last 3');
  },
);

it('asks again whether to make the call, if the person goes back from what may pass', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const inbox = new Inbox();
  const view = new Terminal({ input, output, plain: true });
  onTestFinished(() => view.close());
  inbox.present(view);
  const ending = inbox.ask({ ...question, grants });
  const times = (text: string): number => said.join('').split(text).length - 1;
  await grown(said, () => times('Make this call?') === 1);
  input.write('2\n');
  await grown(said, () => times('Which calls may pass') === 1);
  input.write('4\n');
  await grown(said, () => times('Make this call?') === 2);
  input.write('1\n');
  expect(await ending).toEqual({ how: 'answered', via: 'terminal' });
});
