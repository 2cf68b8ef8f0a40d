/** `midcall doctor` as a process, examining Midcall's own terminal host: over stdio in both eras, and over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eras } from '@midcall/testing';
import { expect, it, onTestFinished } from 'vitest';
import { codeIn, visitor } from '../connect/visitor.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const midcall = join(root, 'packages/midcall/bin/midcall.js');
const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'doctor-')));

/** Where a display is not, and where this is not CI: the doctor then has a page to offer. */
const { CI: _ci, GITHUB_ACTIONS: _actions, ...environment } = process.env;

interface Line {
  readonly check: string;
  readonly outcome: string;
  readonly says: string;
}

/** Somebody at `midcall call`, who types what the questions say. */
function examined(
  words: readonly string[],
  server: readonly string[],
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [midcall, 'call', ...words, ...server], { cwd: root, env: environment });
    let [out, err, seen] = ['', '', 0];
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => {
      err += chunk;
      const asked = /\| Midcall doctor, \d of 5\. ([\s\S]*?)Number or name(?: \[[^\]]*\])?: /.exec(err.slice(seen));
      if (!asked) return;
      seen += asked.index + asked[0].length;
      child.stdin.write(`${typed(asked[0]).join('\n')}\n`);
    });
    child.on('close', code => resolve({ code, out, err }));
  });
}

function typed(question: string): readonly string[] {
  const text = question.replace(/\n *\| ?/g, ' ');
  const word = /the word '(\w+)'/.exec(text)?.[1];
  if (word) return ['1', word, '1'];
  const fields = /Number: (\d+)\..*Colour: (\w+)\. +Animals: (\w+) and (\w+)\./.exec(text);
  if (fields) return ['1', '', fields[1]!, 'y', fields[2]!, `${fields[3]}, ${fields[4]}`, '1'];
  if (text.includes('Decline this')) return ['2'];
  if (text.includes('Close this')) return ['3'];
  void visit(/Address: (\S+)/.exec(text)![1]!, codeIn(text));
  return ['1'];
}

async function visit(url: string, code: string): Promise<void> {
  const who = visitor(url);
  const first = await who.get();
  if (/name="code"/.test(first.text)) await who.send({ do: 'code', code });
  // The call, and the server with it, may end before the page has said that it is done.
  await who.send({}).catch(() => {});
}

function outcomes(out: string): Readonly<Record<string, Line>> {
  const { result } = JSON.parse(out) as { result: { structuredContent: { checks: readonly Line[] } } };
  return Object.fromEntries(result.structuredContent.checks.map(line => [line.check, line]));
}

/** A pipe may answer faster than a person could; what it answered is told all the same. */
const whole = {
  form: { says: expect.stringMatching(/^The word came back/) },
  'fields.choices': { outcome: expect.stringMatching(/works|answers-by-itself/) },
  decline: { says: expect.stringMatching(/as a decline|was declined/) },
  dismiss: { says: expect.stringMatching(/as a dismissal|closed unanswered/) },
  page: { outcome: 'works' },
  roots: { outcome: 'works' },
};

it.each(few(eras, '2026-07-28'))(
  '%s: midcall doctor reports over stdio what was answered in the terminal, and keeps the report',
  async era => {
    const file = join(folder(), 'report.json');
    const server = ['--', process.execPath, midcall, 'doctor', '--report', file];
    const { code, out } = await examined(['doctor', '--plain', '--json', '--era', era, '--root', folder()], server);
    const lines = outcomes(out);
    expect(lines).toMatchObject(whole);
    expect(lines['page']?.says).toContain('code');
    expect(code).toBe(0);
    const { hosts } = JSON.parse(readFileSync(file, 'utf8')) as {
      hosts: readonly { host: object; checks: readonly Line[] }[];
    };
    expect(hosts).toHaveLength(1);
    expect(hosts[0]?.host).toMatchObject({ name: 'midcall', revision: era });
    expect(Object.fromEntries(hosts[0]!.checks.map(line => [line.check, line]))).toEqual(lines);
  },
);

it('midcall doctor examines a host over HTTP, where nobody is known on the page', async () => {
  const server = spawn(process.execPath, [midcall, 'doctor', '--http', '0'], { cwd: root, env: environment });
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });
  let url: string | undefined;
  for await (const line of createInterface({ input: server.stderr })) {
    url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  server.stderr.resume();
  const { out } = await examined(['doctor', '--plain', '--json', '--root', folder(), '--url', url!], []);
  expect(outcomes(out)).toMatchObject(whole);
  expect(outcomes(out)['page']?.says).not.toContain('code');
});

it('midcall doctor gives the report also where its file cannot be written', async () => {
  const server = ['--', process.execPath, midcall, 'doctor', '--report', folder()];
  const { code, out } = await examined(['doctor_report', '--json'], server);
  expect(Object.keys(outcomes(out))).toContain('form');
  expect(code).toBe(0);
});

it.each([
  [['--allow-host', 'x.example'], /--allow-host goes with --http/],
  [['--wait', 'long'], /--wait must be a number of seconds/],
  [['--report', '/no/such/folder/r.json'], /There is no folder/],
  [['--http', '70000'], /A port must be a whole number/],
])('midcall doctor says what is wrong with %j', async (words, why) => {
  const child = spawn(process.execPath, [midcall, 'doctor', ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', chunk => (err += chunk));
  const [code] = (await once(child, 'close')) as [number];
  expect(err).toMatch(why);
  expect(code).toBe(2);
});

it('midcall doctor shows how this very installation is added to a host', async () => {
  const child = spawn(process.execPath, [midcall, 'doctor', '--help'], { cwd: root });
  let out = '';
  child.stdout.on('data', chunk => (out += chunk));
  await once(child, 'close');
  const config = JSON.parse(/^ +(\{ "mcpServers".*\})$/m.exec(out)![1]!) as { mcpServers: { doctor: object } };
  expect(config.mcpServers.doctor).toEqual({ command: process.execPath, args: [midcall, 'doctor'] });
});
