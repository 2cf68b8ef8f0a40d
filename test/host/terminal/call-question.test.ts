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
])('the dialog shows the arguments, and ends by the choice that is made: "%s" is %s', async (typed, how) => {
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
  'later calls pass as far as the person chooses, who is told before what that would have let pass: %s',
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

it('the dialog asks again whether to make the call, if the person goes back from what may pass', async () => {
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

/** Three alike calls in a terminal, and what is typed at each prompt, by its beginning. */
async function together(...typed: readonly (readonly [prompt: string, line: string])[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const inbox = new Inbox();
  const view = new Terminal({ input, output, plain: true });
  onTestFinished(() => view.close());
  const ask = (n: number) =>
    inbox.ask({ ...question, id: `q${n}`, alike: 'x', call: { ...question.call, arguments: { path: `/${n}.md` } } });
  const endings = [ask(1), ask(2), ask(3)];
  inbox.present(view);
  let from = 0;
  for (const [prompt, line] of typed) {
    await grown(said, () => said.join('').includes(prompt, from));
    from = said.join('').indexOf(prompt, from) + 1;
    input.write(`${line}\n`);
  }
  const ended = await Promise.all(endings);
  await view.idle();
  return { how: ended.map(({ how }) => how), text: said.join('') };
}

it.each<readonly [string, readonly (readonly [string, string])[], readonly string[]]>([
  ['allows all', [['Make these calls?', '1']], ['answered', 'answered', 'answered']],
  ['refuses all', [['Make these calls?', '2']], ['declined', 'declined', 'declined']],
  [
    'leaves one out, which is asked about next',
    [
      ['Make these calls?', '3'],
      ['Which calls', '1, 3'],
      ['Allow these 2', '1'],
      ['Make this call?', '2'],
    ],
    ['answered', 'declined', 'answered'],
  ],
  [
    'decides about each alone',
    [
      ['Make these calls?', '4'],
      ['Make this call?', '1'],
      ['Make this call?', '2'],
      ['Make this call?', '3'],
    ],
    ['answered', 'declined', 'dismissed'],
  ],
  ['dismisses all', [['Make these calls?', '']], ['dismissed', 'dismissed', 'dismissed']],
])('alike calls are shown together, each with its arguments, and the person %s', async (_, typed, how) => {
  const on = await together(...typed);
  expect(on.how).toEqual(how);
  expect(on.text).toContain('== Midcall asks before 3 calls ==');
  expect(on.text).toContain('3 calls of edit_file have not been made. You are asked because rule 2 says ask.');
  for (const n of [1, 2, 3])
    expect(on.text).toMatch(new RegExp(`-- Call ${n} of 3 --\\s+Its arguments:\\s+File to change: /${n}\\.md`));
});

it('of alike calls, those that had ended are named, the rest decided, and one that came meanwhile is asked anew', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const inbox = new Inbox();
  const view = new Terminal({ input, output, plain: true });
  onTestFinished(() => view.close());
  inbox.present(view);
  const ask = (n: number) =>
    inbox.ask({ ...question, id: `q${n}`, alike: 'x', call: { ...question.call, id: `c${n}` } });
  const endings = [ask(1), ask(2), ask(3)];
  await grown(said, () => said.join('').includes('Make these calls?'));
  await inbox.reply('q2', { action: 'decline' }, 'web');
  const late = ask(4);
  input.write('1\n');
  await grown(said, () => said.join('').includes('Make this call?'));
  expect((await Promise.all(endings)).map(({ how }) => how)).toEqual(['answered', 'declined', 'answered']);
  expect(said.join('')).toContain('-- call 2 was no longer open, so your decision does not count for it');
  input.write('2\n');
  expect((await late).how).toBe('declined');
});

it('the dialog of alike calls closes when all of them have ended elsewhere', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: string[] = [];
  output.on('data', part => said.push(String(part)));
  const inbox = new Inbox();
  const view = new Terminal({ input, output, plain: true });
  onTestFinished(() => view.close());
  inbox.present(view);
  for (const id of ['q1', 'q2']) void inbox.ask({ ...question, id, alike: 'x' });
  await grown(said, () => said.join('').includes('Make these calls?'));
  for (const id of ['q1', 'q2']) await inbox.reply(id, { action: 'accept' }, 'web');
  await view.idle();
  expect(said.join('')).toContain('-- call 1 was no longer open');
});
