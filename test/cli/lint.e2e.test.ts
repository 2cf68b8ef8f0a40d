/** `midcall lint` as a process, against real servers from npm and the notes server. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { some } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const midcall = join(root, 'packages/midcall/bin/midcall.js');
const npm = (name: string): string => join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const everything = ['node', npm('server-everything'), 'stdio'];

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function lint(words: readonly string[], server: readonly string[]): Promise<Ran> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [midcall, 'lint', ...words, '--', ...server], { cwd: root });
    let [out, err] = ['', ''];
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => (err += chunk));
    child.on('close', code => resolve({ code, out, err }));
  });
}

const temporary = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'lint-')));

function notes(): string {
  const directory = temporary();
  cpSync(join(root, 'packages/midcall/samples/notes'), directory, { recursive: true });
  return directory;
}

/** A server with one tool, whose schema is no object. */
const listing = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const serverInfo = { name: 's', version: '1' };
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
    : { tools: [{ name: 'x', inputSchema: { type: 'string' } }] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

/** A server whose list, calls or both are odd. */
const odd = (list: string, call: string): readonly string[] => [
  'node',
  '-e',
  `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 's', version: '1' };
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
      : method === 'tools/list' ? ${list} : ${call};
    if (id !== undefined && result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`,
];
const fine = `{ name: 'fine', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }`;

describe('midcall lint', () => {
  it('midcall lint finds in the everything server what its forms really have', async () => {
    const tools = ['--tool', 'trigger-elicitation-request', '--tool', 'trigger-url-elicitation'];
    const { code, out } = await lint([...tools, '--format', 'json'], everything);
    const { findings, eras, notes } = JSON.parse(out);
    expect(findings.map((each: { rule: string }) => each.rule).toSorted()).toEqual(['enum-names', 'many-fields']);
    expect(eras).toEqual(['2025-11-25']);
    expect(notes).toContainEqual(expect.stringContaining('did not accept 2026-07-28'));
    expect(code).toBe(0);
  });

  it('midcall lint finds nothing wrong with the notes server, in both eras', async () => {
    const args = ['--wait', '40', '--tool', 'notes_archive', '--args', '{"title":"TPS report"}'];
    const { code, out } = await lint([...args, '--format', 'json'], ['node', midcall, 'notes', notes()]);
    expect(JSON.parse(out)).toMatchObject({
      eras: ['2025-11-25', '2026-07-28'],
      findings: [],
      notes: [],
    });
    expect(code).toBe(0);
  });

  it('midcall lint takes a question for roots, which a host answers by itself, for none to the person', async () => {
    const args = ['--wait', '40', '--root', notes(), '--tool', 'notes_list', '--format', 'json'];
    const { code, out } = await lint(args, ['node', midcall, 'notes']);
    expect(JSON.parse(out)).toMatchObject({ findings: [], tools: { notes_list: 0 } });
    expect(code).toBe(0);
  });

  it('midcall lint calls nothing that writes, unless it is told to', async () => {
    const directory = notes();
    const { code, out } = await lint([], ['node', midcall, 'notes', directory]);
    expect(out).toContain('Not called, since they do not declare readOnlyHint:');
    expect(code).toBe(0);
  });

  it('midcall lint writes SARIF to a file', async () => {
    const file = join(temporary(), 'lint.sarif');
    const args = ['--tool', 'trigger-elicitation-request', '--format', 'sarif', '--output', file];
    expect(await lint(args, everything)).toMatchObject({ code: 0, out: '' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: '2.1.0' });
  });

  it('midcall lint ends with 1 where it found an error, and says what and where', async () => {
    const server = ['node', join(root, 'test/fixtures/asking-server.mjs')];
    const { code, out } = await lint(['--tool', 'hostile-nested', '--wait', '60'], server);
    expect(out).toMatch(/error {3}nested-schema\n.*'a' is an object; a form is flat/);
    expect(code).toBe(1);
  });

  it.each(
    some(
      [
        [['--tool', 'a', '--all'], 'not both'],
        [['--args', '{}'], '--args goes with --tool'],
        [['--tool', 'a', '--args', '[]'], 'not a JSON object'],
        [['--format', 'xml'], 'text, json or sarif'],
        [['--wait', 'long'], 'number of seconds'],
        [['--tool', 'no-such-tool'], 'no tool'],
      ],
      2,
    ),
  )('midcall lint ends with 2 for %j', async (words, why) => {
    const { code, err } = await lint(words, everything);
    expect(err).toContain(why);
    expect(code).toBe(2);
  });

  it('midcall lint ends with 1 where the list of tools is none, and says what is wrong with it', async () => {
    const { code, err } = await lint(['--era', '2025-11-25'], ['node', '-e', listing]);
    expect(err).toMatch(
      /^midcall: The tools could not be listed on 2025-11-25: the server sent a list that the protocol does not allow: tools\.0\.inputSchema\.type: [^\n]+\n$/,
    );
    expect(code).toBe(1);
  });

  it('midcall lint judges the other tools where one entry of the list is not allowed, and names that entry', async () => {
    const server = odd(`{ tools: [{ name: null, title: 'x' }, ${fine}] }`, '{ content: [] }');
    const { code, out } = await lint(['--era', '2025-11-25', '--format', 'json'], server);
    const { notes, calls } = JSON.parse(out);
    expect(notes).toContainEqual(
      expect.stringMatching(/^The tool at 0 in the list of 2025-11-25 is left out: name: [^\n]+\.$/),
    );
    expect(calls).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  it('midcall lint names a list or a result that is null for what it is, and does not take it for silence', async () => {
    const noResponse = 'something that is not a JSON-RPC 2.0 response';
    const list = await lint(['--era', '2025-11-25', '--wait', '60'], odd('null', 'null'));
    expect([list.code, list.err]).toEqual([1, expect.stringContaining(noResponse)]);
    const call = await lint(['--era', '2025-11-25', '--format', 'json'], odd(`{ tools: [${fine}] }`, 'null'));
    expect(JSON.parse(call.out).notes).toContainEqual(expect.stringContaining(noResponse));
  });

  it('midcall lint says of a call without an answer that it was not judged', async () => {
    const { code, out } = await lint(
      ['--era', '2025-11-25', '--wait', '1', '--format', 'json'],
      odd(`{ tools: [${fine}] }`, 'undefined'),
    );
    expect(JSON.parse(out).notes).toEqual(['fine: it gave no result in time, and asked nothing.']);
    expect(code).toBe(0);
  });

  it('midcall lint ends with 3 where the server does not come up, and shows what it last said', async () => {
    const { code, err } = await lint([], ['node', '-e', 'console.error("no licence"); process.exit(1)']);
    expect(err).toContain('It last said: no licence\n');
    expect(code).toBe(3);
  });
});
