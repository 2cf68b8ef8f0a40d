/** `midcall call` as a process, against real servers from npm and the plain asking server, through pipes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { oddBlock, oddCommand } from '../fixtures/odd-server.ts';
import { few, some } from '../fixtures/soak.ts';
import { askingServer } from '../host/person.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const midcall = join(root, 'packages/midcall/bin/midcall.js');
const npm = (name: string): string => join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const everything = ['node', npm('server-everything'), 'stdio'];
const filesystem = ['node', npm('server-filesystem')];
const asking = ['node', askingServer];

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(words: readonly string[], server: readonly string[], input = ''): Promise<Ran> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [midcall, 'call', ...words, '--', ...server], { cwd: root });
    let [out, err] = ['', ''];
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => (err += chunk));
    child.on('close', code => resolve({ code, out, err }));
    child.stdin.end(input);
  });
}

const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'call-')));

function answers(...list: unknown[]): readonly string[] {
  const file = join(temporary(), 'answers.json');
  writeFileSync(file, JSON.stringify(list));
  return ['--answers', file];
}

const thirteen = {
  name: 'Ada',
  check: true,
  firstLine: 'Once upon a time',
  email: 'ada@example.com',
  homepage: 'https://example.com/',
  birthdate: '1815-12-10',
  integer: 7,
  number: 2.5,
  untitledSingleSelectEnum: 'Joey',
  untitledMultipleSelectEnum: ['Piano', 'Drums'],
  titledSingleSelectEnum: 'hero-2',
  titledMultipleSelectEnum: ['fish-3'],
  legacyTitledEnum: 'pet-2',
};

it('ends with its exit code though the server does not end with its input', async () => {
  const lasting = ['node', '--import', 'data:text/javascript,setInterval(() => {}, 1e6)', askingServer];
  expect((await run(['form'], lasting)).code).toBe(4);
});

describe('midcall call with the everything server', () => {
  it('elicit-04: midcall call answers all 13 fields of a form from a file', async () => {
    const { code, out } = await run(
      ['trigger-elicitation-request', ...answers({ action: 'accept', content: thirteen })],
      everything,
    );
    expect(JSON.parse(/Raw result: ([\s\S]*)/.exec(out)![1]!)).toEqual({ action: 'accept', content: thirteen });
    expect(code).toBe(0);
  });

  it('elicit-form-23: midcall call has all 13 fields filled in line by line, through a pipe', async () => {
    const typed = [
      '1',
      'Ada',
      'y',
      '',
      'ada@example.com',
      '',
      '1815-12-10',
      'many',
      '7',
      '',
      'joey',
      'piano, drums',
      '2',
      'Trout',
      '2',
    ];
    const { code, out, err } = await run(
      ['trigger-elicitation-request'],
      everything,
      `${[...typed, '1'].join('\n')}\n`,
    );
    const { content } = JSON.parse(/Raw result: ([\s\S]*)/.exec(out)![1]!);
    expect(err).toContain('! Integer must be a whole number');
    const { homepage: _, ...rest } = thirteen;
    expect(content).toEqual({ ...rest, firstLine: 'It was a dark and stormy night.', number: 3.14 });
    expect(code).toBe(0);
  });

  it('elicit-07: a decline and a dismissal are told apart, and both are calls that completed', async () => {
    const declined = await run(['trigger-elicitation-request'], everything, 'decline\n');
    const dismissed = await run(['trigger-elicitation-request'], everything, 'dismiss\n');
    expect([declined.code, dismissed.code]).toEqual([0, 0]);
    expect(declined.out).toContain('"action": "decline"');
    expect(dismissed.out).toContain('"action": "cancel"');
  });

  it('elicit-url-37: a URL gets consent on the request path and on the error path, and the call is tried again', async () => {
    const url = '{"url":"https://example.com/x","errorPath":false}';
    const asked = await run(['trigger-url-elicitation', url, ...answers({ action: 'accept' })], everything);
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('"action": "accept"')]);
    expect(asked.err).toContain('Address: https://example.com/x');
    const error = url.replace('false', 'true');
    const required = await run(
      ['trigger-url-elicitation', error, ...answers({ action: 'accept' }, { action: 'accept' })],
      everything,
    );
    expect(required.code).toBe(0);
    const refused = await run(['trigger-url-elicitation', error, ...answers({ action: 'decline' })], everything);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('page that was not opened')]);
  });

  it('sampling is answered with the reply that the file gives', async () => {
    const reply = { role: 'assistant', model: 'script', content: { type: 'text', text: 'forty-two' } };
    const { code, out } = await run(['trigger-sampling-request', 'prompt=hi', ...answers(reply)], everything);
    expect([code, out]).toEqual([0, expect.stringContaining('forty-two')]);
  });

  it('the person may write the reply where there is no model', async () => {
    const typed = ['1', '1', 'I wrote this', '1'];
    const { code, out, err } = await run(
      ['trigger-sampling-request', 'prompt=hi'],
      everything,
      `${typed.join('\n')}\n`,
    );
    expect([code, out]).toEqual([0, expect.stringContaining('I wrote this')]);
    expect(err).toContain('A server asks to use your model');
  });

  it('roots-06: the server is told the roots given by flag', async () => {
    const dir = temporary();
    const { out } = await run(['get-roots-list', '--root', dir], everything);
    expect(out).toContain(`file://${dir}`);
  });

  it('midcall call tells a server in a container of a root by the path it has there', async () => {
    const { out } = await run(
      ['get-roots-list', '--root', `${mkdtempSync(join(tmpdir(), 'root-'))}=/work`],
      everything,
    );
    expect(out).toContain('URI: file:///work\n');
  });
});

describe('midcall call with the filesystem server', () => {
  it('midcall call with the filesystem server has its roots before the first call, so that a file in them can be read', async () => {
    const [a, b] = [temporary(), temporary()];
    writeFileSync(join(b, 'note.txt'), 'inside');
    const { code, out } = await run(
      ['read_text_file', `path=${join(b, 'note.txt')}`, '--root', a, '--root', b],
      filesystem,
    );
    expect([code, out.trim()]).toEqual([0, 'inside']);
    const outside = await run(['read_text_file', 'path=/etc/hostname', '--root', a], filesystem);
    expect([outside.code, outside.out]).toEqual([1, expect.stringContaining('Access denied')]);
  });
});

describe.each(few(['2025', '2026'], '2026'))('midcall call, %s', era => {
  it('elicit-46: midcall call asks in lines: who, which call, the message set off, and the answer before it is sent', async () => {
    const { code, out, err } = await run(['form', 'n:=1', '--era', era], asking, '1\ngreen\n2\n1\nred\n1\n');
    expect([code, JSON.parse(out)]).toEqual([0, { action: 'accept', content: { colour: 'red' } }]);
    expect(err).toContain('Server asking-server (');
    expect(err).toContain('For the tool form with {"n":1}');
    expect(err).toContain('  | Which colour?');
    expect(err).toContain('  Colour: green');
  });

  it('elicit-form-29: midcall call ends with an error where an answer is missing, does not fit, or the input ends', async () => {
    const missing = await run(['form', '--era', era, ...answers()], asking);
    const unfit = await run(
      ['form', '--era', era, ...answers({ action: 'accept', content: { colour: 'blue' } })],
      asking,
    );
    const ended = await run(['form', '--era', era], asking, '1\n');
    expect([missing.code, unfit.code, ended.code]).toEqual([4, 4, 4]);
    expect(ended.err).toContain('The input ended before the question was answered.');
    expect(ended.err).not.toContain('the server withdrew the question');
    expect(unfit.err).toContain('does not fit');
  });

  it('midcall call says in plain words that no folder was granted, and which option grants one', async () => {
    const without = await run(['roots', '--era', era], asking);
    expect(without.err).toBe(
      'midcall: The server asked which folders it may use, and none was granted. Grant one with --root <dir>; it may be repeated.\n',
    );
    const dir = temporary();
    const granted = await run(['roots', '--era', era, '--root', dir], asking);
    expect([granted.code, granted.err]).toEqual([0, '']);
    expect(granted.out).toContain(`file://${dir}`);
  });

  it('midcall call says that the server has stopped, and what it last said', async () => {
    const when = join(temporary(), 'now');
    const child = spawn(process.execPath, [midcall, 'call', 'crash', `when=${when}`, '--era', era, '--', ...asking], {
      cwd: root,
    });
    let err = '';
    child.stderr.on('data', chunk => {
      err += chunk;
      if (err.includes('Which colour?')) writeFileSync(when, '');
    });
    expect(await new Promise(resolve => child.on('close', resolve))).toBe(3);
    expect(err).toContain('midcall: The server has stopped. It last said: asking-server is up\n');
    expect(err).toContain('It is not known what the call has done.');
  });

  it('midcall call exits 2 and sends nothing where a required argument is missing, however the arguments are given', async () => {
    const called = join(temporary(), 'called');
    for (const words of some([['from=a'], [], ['{"from":"a"}']])) {
      const ran = await run(['needs-two', '--era', era, ...words], [...asking, called]);
      expect(ran.err).toContain("'to'. Nothing was sent.");
      expect({ code: ran.code, out: ran.out, called: existsSync(called) }).toEqual({ code: 2, out: '', called: false });
    }
    const whole = await run(['needs-two', '--era', era, 'from=a', 'to=b'], [...asking, called]);
    expect(existsSync(called)).toBe(true);
    expect({ code: whole.code, out: whole.out }).toEqual({ code: 0, out: '{"from":"a","to":"b"}\n' });
  });

  it('midcall call prints the outcome as JSON and nothing else to standard output', async () => {
    const { code, out } = await run(['fails', '--json', '--era', era], asking);
    expect([code, JSON.parse(out).how]).toEqual([1, 'tool-error']);
  });

  it('midcall call prints as JSON, too, why a question was not answered', async () => {
    const { code, out } = await run(['form', '--json', '--era', era, ...answers()], asking);
    const message = expect.stringMatching(/^The answers file has no answer left\. The question was: /);
    expect([code, JSON.parse(out)]).toEqual([4, { how: 'unanswered', exitCode: 4, message }]);
  });

  it('midcall call prints as JSON, too, that a server cannot be started', async () => {
    const { code, out } = await run(['plain', '--json', '--era', era], ['/nonexistent/program']);
    expect([code, JSON.parse(out)]).toEqual([
      3,
      { how: 'server-gone', exitCode: 3, message: expect.stringContaining('could not be started') },
    ]);
  });

  it('midcall call prints as JSON, too, that it failed itself', async () => {
    const audit = join(temporary(), 'audit.jsonl');
    writeFileSync(audit, '{"altered":true}\n');
    const { code, out, err } = await run(['plain', '--json', '--era', era, '--audit', audit], asking);
    const { message, ...rest } = JSON.parse(out);
    expect([code, rest]).toEqual([70, { how: 'failure', exitCode: 70 }]);
    expect(err).toContain(message);
  });
});

describe('exit codes', () => {
  it.each(
    some(
      [
        [['nope'], asking, 2, /has no tool 'nope'/],
        [['plain', '--era', '1999'], asking, 2, /--era must be/],
        [['plain', '--answers', '/nonexistent'], asking, 2, /There is no file \/nonexistent\./],
        [['plain'], ['/nonexistent/program'], 3, /could not be started/],
        [['crash', ...answers()], asking, 4, /no answer left/],
      ],
      3,
    ),
  )('midcall call exits with the code for its end and says why: %j', async (words, server, expected, why) => {
    const { code, out, err } = await run(words, server);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(why);
  });
});

describe('midcall call with a server that gives what the protocol does not have', () => {
  it.each(few(['2025-11-25', '2026-07-28'], '2026-07-28'))(
    'midcall call prints a part of an unknown kind as it was sent, on %s',
    async era => {
      const { code, out } = await run(['odd'], oddCommand(era));
      expect(code).toBe(0);
      expect(out).toContain("known\n[a part of kind 'hologram', as it was sent]\n{\n");
      expect(JSON.parse(out.slice(out.indexOf('{')))).toEqual(oddBlock);
      const json = await run(['odd', '--json'], oddCommand(era));
      expect(JSON.parse(json.out)).toMatchObject({
        how: 'completed',
        result: { content: [{}, oddBlock], extra: 'kept' },
      });
    },
  );

  it('midcall call calls a tool where other lists cannot be read, and names them', async () => {
    const { code, out, err } = await run(['odd'], oddCommand('2025-11-25', 'prompts/list', 'resources/list'));
    expect({ code, known: out.startsWith('known\n') }).toEqual({ code: 0, known: true });
    expect(err).toBe(
      'midcall: The prompts could not be listed: the server declares prompts but does not implement the list.\n' +
        'midcall: The resources could not be listed: the server declares resources but does not implement the list.\n',
    );
  });

  it('midcall call with a server that gives what the protocol does not have ends as a refusal where the tools cannot be listed', async () => {
    const { code, err } = await run(['odd'], oddCommand('2026-07-28', 'tools/list'));
    expect(code).toBe(1);
    expect(err).toBe(
      'midcall: The tools could not be listed: the server declares tools but does not implement the list.\n',
    );
    const json = await run(['odd', '--json'], oddCommand('2026-07-28', 'tools/list'));
    const message = 'The tools could not be listed: the server declares tools but does not implement the list.';
    expect([json.code, JSON.parse(json.out)]).toEqual([1, { how: 'refused', exitCode: 1, message }]);
  });

  it.each(few(['2025-11-25', '2026-07-28'], '2025-11-25'))(
    'midcall call with a server that gives what the protocol does not have says in its own words what Midcall refused, once, on %s',
    async era => {
      const { err } = await run(['hostile-many', '--era', era, ...answers()], asking);
      expect(err.match(/refused before it reached you|cannot be shown/g)).toHaveLength(1);
      expect(err).toMatch(/^midcall: .*10000 fields.*$/m);
    },
  );

  it('midcall call names the limit where a result is too large', async () => {
    const { code, err } = await run(['large', 'bytes:=12000000'], oddCommand('2025-11-25'));
    expect(code).toBe(3);
    expect(err).toBe(
      'midcall: The server sent a message of more than 10,485,760 bytes, the most that is read, so the connection was closed.\n' +
        'midcall: It is not known what the call has done. Find that out before you make it again.\n',
    );
  });
});

describe('midcall call with a task of 2025-11-25', () => {
  const research = ['simulate-research-query', 'topic=python', 'ambiguous:=true'];

  it.each(
    some(
      [
        ['an answer', { action: 'accept', content: { interpretation: 'snake' } }, 'Research Report: python (snake)'],
        ['a refusal', { action: 'decline' }, 'Research Report: python (User declined'],
      ],
      1,
    ),
  )('midcall call runs what can only be called as a task, with %s', { tags: 'thorough' }, async (_, given, report) => {
    const tasks = ['--tasks', join(temporary(), 'tasks.json')];
    const { code, out } = await run([...research, ...tasks, ...answers(given)], everything);
    expect(code).toBe(0);
    expect(out).toContain(report);
  });
});
