/** `midcall call` in a real pseudo-terminal: drawn prompts, keys, Ctrl-C. */
import { describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { askingServer, cue } from '../host/person.ts';
import { down, enter, errorsInFile, inTerminal, interrupt, midcall, terminal } from './tty.ts';

describe.each(few(['2025', '2026'], '2025'))('in a terminal, %s', era => {
  it('elicit-form-04, elicit-form-24: a form is filled in with keys, seen before it is sent, and changed', async () => {
    const tty = terminal(['form', '--era', era]);
    await tty.until('What do you want to do?');
    expect(tty.text()).toContain('  | Which colour?');
    tty.type(enter);
    await tty.until('Colour (required)');
    tty.type(down + down + enter);
    await tty.until('Colour: green');
    await tty.until('Send it?');
    tty.type(down + enter);
    await tty.until('Which one?');
    tty.type(enter);
    await tty.until('Colour (required)');
    tty.type(`\u001b[A${enter}`);
    await tty.until('Colour: red');
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('{"action":"accept","content":{"colour":"red"}}');
    expect(await tty.ended).toBe(0);
  });

  it('elicit-form-20: the person is told which rule an answer breaks, beside the field', async () => {
    const tty = terminal(['code', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('Code (required');
    tty.type(`ABC${enter}`);
    await tty.until('must match the pattern');
    tty.type(`\u007f\u007f\u007fabc${enter}`);
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('{"code":"abc"}');
    expect(await tty.ended).toBe(0);
  });

  it('the person is warned of a secret that is asked for, which is not shown', async () => {
    const tty = terminal(['password', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(enter);
    await tty.until('This server asks for a secret in a form.');
    await tty.until('Password (required)');
    tty.type(`hunter2${enter}`);
    await tty.until('Password: ••••••••');
    await tty.until('Send it?');
    expect(tty.text()).not.toContain('hunter2');
    tty.type(enter);
    await tty.until('"action":"accept"');
    expect(await tty.ended).toBe(0);
  });

  it('elicit-24: Ctrl-C before anything is entered dismisses the question, and the call goes on', async () => {
    const tty = terminal(['form', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(interrupt);
    await tty.until('"action":"cancel"');
    expect(await tty.ended).toBe(0);
  });
});

/** `midcall call` in a terminal, with its standard error in a file. */
function withErrorsInFile(words: readonly string[], options: { readonly detached?: boolean } = {}) {
  const started = errorsInFile([midcall, 'call', ...words, '--', 'node', askingServer], options);
  return { tty: inTerminal(started.words), log: started.log };
}

describe('in a terminal', () => {
  it('Ctrl-C cancels the call where no question is open', async () => {
    const tty = terminal(['slow', '--era', '2025', '--json']);
    await tty.until('calling slow');
    tty.type(interrupt);
    await tty.until('"how":"cancelled"');
    expect(await tty.ended).toBe(130);
  });

  it('what the server reports is wrapped beside our margin, and none of its words begin at the left edge', async () => {
    const tty = terminal(['slow', JSON.stringify({ progress: 'page '.repeat(40) }), '--era', '2025']);
    await tty.until(/… (page )+page\r\n {2}(page )+page/);
    tty.type(interrupt);
    await tty.until('the call was cancelled');
    expect(await tty.ended).toBe(130);
  });

  it('what is wrong with the command line is wrapped between words', async () => {
    const tty = terminal(['nothing', '--era', '2025']);
    expect(await tty.ended).toBe(2);
    expect(tty.text()).toMatch(/midcall: The server has no tool 'nothing'\. It has: .*,\r\n\w/);
    for (const line of tty.text().split('\r\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('the dialog closes when the server takes the question back', async () => {
    const now = cue();
    const tty = terminal(['withdraw', JSON.stringify({ when: now.path }), '--era', '2025']);
    await tty.until('What do you want to do?');
    now.give();
    await tty.until('the server withdrew the question');
    await tty.until('"withdrawn"');
    expect(await tty.ended).toBe(0);
  });

  it('the dialog is in lines with NO_COLOR: no escape sequence is written, and Ctrl-C still dismisses', async () => {
    const tty = terminal(['form', '--era', '2026'], { NO_COLOR: '1' });
    await tty.until('Number or name');
    tty.type(interrupt);
    await tty.until('"action":"cancel"');
    expect(await tty.ended).toBe(0);
    expect(tty.raw()).not.toContain('\u001b');
  });

  it('elicit-url-02, elicit-url-62: an address is shown in full with its warnings before anything is opened', async () => {
    const tty = terminal(['url', '{"url":"http://аpple.com@93.184.216.34:8080/x"}', '--era', '2025']);
    await tty.until('Address: http://аpple.com@93.184.216.34:8080/x');
    await tty.until('What stands before the @ is not where this leads');
    await tty.until('Open it?');
    tty.type(`\u001b[A${enter}`);
    await tty.until('"action":"decline"');
    expect(await tty.ended).toBe(0);
  });

  it('a question is asked on the screen though standard error goes into a file, which gets the other words', async () => {
    const now = cue();
    const { tty, log } = withErrorsInFile(['crash', `when=${now.path}`, '--era', '2026']);
    await tty.until('Which colour?');
    await tty.until('What do you want to do?');
    now.give();
    expect(await tty.ended).toBe(3);
    expect(log()).toContain('midcall: The server has stopped.');
    expect(log()).not.toContain('Which colour?');
    const answered = withErrorsInFile(['form', '--era', '2025']);
    await answered.tty.until('What do you want to do?');
    answered.tty.type(down + enter);
    await answered.tty.until('"action":"decline"');
    expect(await answered.tty.ended).toBe(0);
  });

  it('a call ends at a question that could be shown only in a file', async () => {
    // A program of another session does not reach the screen by its name, as on Windows.
    const { tty, log } = withErrorsInFile(['form', '--era', '2026'], { detached: true });
    expect(await tty.ended).toBe(4);
    expect(log()).toContain('midcall: The server asked a question that could not be shown');
    expect(log()).not.toContain('Which colour?');
  });
});

/** Runs a command in its terminal, ends it on SIGUSR2, and says then how it finds the terminal. */
const starter = `
  const { spawn, spawnSync } = require('node:child_process');
  const child = spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' });
  process.on('SIGUSR2', () => child.kill());
  child.on('exit', (_, signal) => {
    console.log('ended by', signal);
    spawnSync('stty', ['-a'], { stdio: 'inherit' });
  });`;

it.runIf(process.platform !== 'win32')(
  'a command that is ended while it asks leaves a terminal with a cursor, in which lines can be typed and pasted',
  async () => {
    const tty = inTerminal(['-e', starter, '--', midcall, 'call', 'form', '--', process.execPath, askingServer]);
    await tty.until('Enter: confirm');
    expect(tty.raw().lastIndexOf('\u001b[?25l')).toBeGreaterThan(tty.raw().lastIndexOf('\u001b[?25h'));
    expect(tty.raw().lastIndexOf('\u001b[?2004h')).toBeGreaterThan(tty.raw().lastIndexOf('\u001b[?2004l'));
    tty.signal('SIGUSR2');
    await tty.pass(['ended by SIGTERM'], [/\sicanon/], [/\secho\s/]);
    expect(tty.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(tty.raw().lastIndexOf('\u001b[?25l'));
    expect(tty.raw().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(tty.raw().lastIndexOf('\u001b[?2004h'));
    await tty.ended;
  },
);
