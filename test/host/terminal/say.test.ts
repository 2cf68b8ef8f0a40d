/** Lines between questions: progress of a call, and what a program has to say. */
import { PassThrough } from 'node:stream';
import { Inbox, type RootsQuestion } from '@midcall/host';
import { Terminal } from '@midcall/host/terminal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

function view(columns?: number) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
  const written: string[] = [];
  output.on('data', part => written.push(String(part)));
  const terminal = new Terminal({ input, output, plain: true });
  onTestFinished(() => terminal.close());
  return { terminal, input, written, text: () => written.join('') };
}

describe('a line that is said', () => {
  it('is wrapped between words, and no part of it begins at the left edge', () => {
    const { terminal, text } = view(40);
    terminal.say(['… the server says: The report\nis nearly done, and will be sent to everyone', 'done']);
    expect(text()).toBe('… the server says: The report\n  is nearly done, and will be sent to\n  everyone\ndone\n');
  });

  it('is left as it is in a pipe, with its control characters made visible', () => {
    const { terminal, text } = view();
    terminal.say([`${'long '.repeat(40)}\u001b[2J`]);
    expect(text()).toBe(`${'long '.repeat(40)}⟦U+001B⟧[2J\n`);
  });
});

const question: RootsQuestion = {
  kind: 'roots',
  id: 'q1',
  asker: { id: 'files', name: 'files', origin: 'node files.mjs', era: '2026-07-28' },
  askedAt: 0,
  roots: [{ uri: 'file:///srv', name: 'srv' }],
};

describe('while a question is asked', () => {
  it('lines wait until it is over, and only the newest hundred are kept', async () => {
    const { terminal, input, written, text } = view();
    const inbox = new Inbox();
    inbox.present(terminal);
    const ending = inbox.ask(question);
    await grown(written, () => text().includes('Number or name'));
    terminal.say(['first']);
    terminal.say(Array.from({ length: 100 }, (_, at) => `page ${at}`));
    expect(text()).not.toMatch(/first|page/);
    input.write('decline\n');
    await ending;
    await grown(written, () => text().includes('page 99\n'));
    expect(text()).not.toContain('first');
    expect(text()).toContain('page 0\npage 1\n');
  });

  it('a question that ends before its turn is not shown, and how it ended is said', async () => {
    const { terminal, input, written, text } = view();
    const inbox = new Inbox();
    inbox.present(terminal);
    const first = inbox.ask(question);
    await grown(written, () => text().includes('Number or name'));
    const asker = { ...question.asker, id: 'photos' };
    const second = inbox.ask({ ...question, id: 'q2', asker });
    inbox.end('q2', { how: 'timed-out' });
    expect((await second).how).toBe('timed-out');
    input.write('decline\n');
    await first;
    await terminal.idle();
    expect(text()).toMatch(
      /-- time is up; the question was taken as dismissed \(a question of photos, before you got to it\)\n$/,
    );
    expect(text()).not.toContain('Server photos');
  });

  it('lines wait for the end of a question of the program itself, too', async () => {
    const { terminal, input, written, text } = view();
    const name = terminal.ask({ message: 'Your name' });
    await grown(written, () => text().includes('Your name: '));
    terminal.say(['page 1']);
    expect(text()).toBe('Your name: ');
    input.write('Ada\n');
    expect(await name).toBe('Ada');
    expect(text()).toBe('Your name: page 1\n');
  });
});
