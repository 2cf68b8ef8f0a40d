/** `midcall call` in a real pseudo-terminal without a tool, without arguments, and with a form that is long. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { few, some } from '../fixtures/soak.ts';
import { askingServer, cue } from '../host/person.ts';
import { down, enter, esc, terminal, up } from './tty.ts';

/** A server that ends as soon as a file is there. */
const endsOn = (path: string): readonly string[] => {
  const code = `import{existsSync}from'node:fs';setInterval(()=>existsSync(${JSON.stringify(path)})&&process.exit(3),20)`;
  return ['node', '--import', `data:text/javascript,${encodeURIComponent(code)}`, askingServer];
};

describe.each(few(['2025', '2026'], '2025'))('a call that the command line leaves open, %s', era => {
  it('a tool is chosen from a list and its arguments asked for; Up gives again what was given before', async () => {
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'midcall-choose-')) };
    const first = terminal(['--era', era], home);
    await first.pass(
      ['Which tool?', 'needs-t'],
      ['1 match', enter],
      ['from (required)', `Bergen${enter}`],
      ['to (required)', `Oslo${enter}`],
      ['calling needs-two'],
      ['"to":"Oslo"'],
    );
    expect(await first.ended).toBe(0);
    const second = terminal(['needs-two', 'to=Voss', '--era', era], home);
    await second.pass(['from (required)'], ['Up for earlier values (1)', up], ['Bergen', enter], ['"to":"Voss"']);
    expect(await second.ended).toBe(0);
    const kept = readFileSync(join(home.XDG_CONFIG_HOME, 'midcall/desk/calls.jsonl'), 'utf8');
    expect(kept).toContain('"arguments":{"to":"Voss","from":"Bergen"}');
  });

  it('where the server ends while arguments are typed, the terminal says so at once, with its last words and what was entered', async () => {
    const end = cue();
    const tty = terminal(['needs-two', '--era', era], {}, endsOn(end.path));
    await tty.pass(['from (required)', `Bergen${enter}`], ['to (required)', 'Os'], ['Os']);
    end.give();
    await tty.pass(
      ['Not sent. You had entered:'],
      ['from: "Bergen"'],
      ['midcall: The server has stopped. It last said: asking-server is up'],
      ['midcall: No tool was called. To try again, run the same command.'],
    );
    expect(await tty.ended).toBe(3);
  });

  it('where the server ends while a tool is chosen or optional arguments are, nothing more is asked', async () => {
    for (const steps of some([
      [['Which tool?']],
      [['Which tool?', 'plain'], ['1 match', enter], ['Call it, or fill in more?', down + enter], ['(optional']],
    ] as const)) {
      const end = cue();
      const tty = terminal(['--era', era], {}, endsOn(end.path));
      await tty.pass(...steps);
      end.give();
      await tty.pass(['midcall: The server has stopped.']);
      expect(await tty.ended).toBe(3);
    }
  });

  it('a long form is filled in from a list of its fields, in any order, and sent once nothing required is missing', async () => {
    const tty = terminal(['long', '--era', era]);
    await tty.pass(
      ['What do you want to do?', down + enter],
      ['Which field? 0 answers, 21 left empty, 4 of them required', 'Name 7'],
      ['1 match', enter],
      ['◆  Name 7 (optional)', `Ann${enter}`],
      ['Which field? 1 answer, 20 left empty, 4 of them required', 'Look at'],
      ['1 match', enter],
      ['Still required: Name 1, Meal, Days, Sure'],
      ['It cannot be sent yet.', enter],
    );
    // The cursor stands on what is required.
    await tty.pass(
      ['Which field?', enter],
      ['◆  Name 1 (required)', `Bo${enter}`],
      ['3 of them required', enter],
      ['◆  Meal (required)', down + enter],
      ['2 of them required', enter],
      ['◆  Days (required)', ` ${enter}`],
      ['1 of them required', enter],
      ['◆  Sure (required)', down + enter],
      ['Which field? 5 answers, 16 left empty', 'Look at'],
      ['1 match', enter],
      ['Send it?', enter],
      ['"name7":"Ann"'],
    );
    expect(await tty.ended).toBe(0);
  });
});

it('midcall call ends without a call where the person leaves the list of tools', async () => {
  const tty = terminal(['--era', '2026']);
  await tty.pass(['Which tool?', esc]);
  expect(await tty.ended).toBe(130);
});
