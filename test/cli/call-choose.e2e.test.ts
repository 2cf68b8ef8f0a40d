/** `midcall call` in a real pseudo-terminal without a tool, without arguments, and with a form that is long. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { down, enter, esc, terminal, up } from './tty.ts';

describe.each(['2025', '2026'])('a call that the command line leaves open, %s', era => {
  it('is chosen from a list, and asks for its arguments; what was given is there again with the Up key', async () => {
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'midcall-choose-')) };
    const first = terminal(['--era', era], home);
    await first.until('Which tool?');
    first.type('needs-t');
    await first.until('1 match');
    first.type(enter);
    await first.until('from (required)');
    first.type(`Bergen${enter}`);
    await first.until('to (required)');
    first.type(`Oslo${enter}`);
    await first.until('calling needs-two');
    await first.until('"to":"Oslo"');
    expect(await first.ended).toBe(0);
    const second = terminal(['needs-two', 'to=Voss', '--era', era], home);
    await second.until('from (required)');
    await second.until('Up for earlier values (1)');
    second.type(up);
    await second.until('Bergen');
    second.type(enter);
    await second.until('"to":"Voss"');
    expect(await second.ended).toBe(0);
    const kept = readFileSync(join(home.XDG_CONFIG_HOME, 'midcall/desk/calls.jsonl'), 'utf8');
    expect(kept).toContain('"arguments":{"to":"Voss","from":"Bergen"}');
  });

  it('fills in a long form from a list of its fields, in any order, and sends it once nothing required is missing', async () => {
    const tty = terminal(['long', '--era', era]);
    await tty.until('What do you want to do?');
    tty.type(down + enter);
    await tty.until('Which field? 0 answers, 21 left empty, 4 of them required');
    tty.type('Name 7');
    await tty.until('1 match');
    tty.type(enter);
    await tty.until('◆  Name 7 (optional)');
    tty.type(`Ann${enter}`);
    await tty.until('Which field? 1 answer, 20 left empty, 4 of them required');
    tty.type('Look at');
    await tty.until('1 match');
    tty.type(enter);
    await tty.until('Still required: Name 1, Meal, Days, Sure');
    await tty.until('It cannot be sent yet.');
    tty.type(enter);
    // The cursor stands on what is required.
    await tty.until('Which field?');
    tty.type(enter);
    await tty.until('◆  Name 1 (required)');
    tty.type(`Bo${enter}`);
    await tty.until('3 of them required');
    tty.type(enter);
    await tty.until('◆  Meal (required)');
    tty.type(down + enter);
    await tty.until('2 of them required');
    tty.type(enter);
    await tty.until('◆  Days (required)');
    tty.type(` ${enter}`);
    await tty.until('1 of them required');
    tty.type(enter);
    await tty.until('◆  Sure (required)');
    tty.type(down + enter);
    await tty.until('Which field? 5 answers, 16 left empty');
    tty.type('Look at');
    await tty.until('1 match');
    tty.type(enter);
    await tty.until('Send it?');
    tty.type(enter);
    await tty.until('"name7":"Ann"');
    expect(await tty.ended).toBe(0);
  });
});

it('ends without a call where the person leaves the list of tools', async () => {
  const tty = terminal(['--era', '2026']);
  await tty.until('Which tool?');
  tty.type(esc);
  expect(await tty.ended).toBe(130);
});
