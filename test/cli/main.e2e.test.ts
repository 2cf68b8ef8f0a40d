/** What every command of `midcall` has: the version, and why a server that died at its start died. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exitCodeHelp } from '../../packages/midcall/src/cli/exit-codes.ts';
import { some } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'main-')));
const list = join(folder, 'mcp.json');
const broken = join(folder, 'broken.json');
writeFileSync(list, JSON.stringify({ mcpServers: { tables: { command: 'node' } } }));
writeFileSync(broken, '{');
const noModels = join(folder, 'none.mjs');
writeFileSync(noModels, 'export default [];');

function midcall(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve =>
    execFile(
      process.execPath,
      [join(root, 'packages/midcall/bin/midcall.js'), ...words],
      { cwd: root },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    ),
  );
}

it.each(some(['-V', '--version']))('midcall %s prints the version of the package', async flag => {
  expect(await midcall(flag)).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

it('midcall is a command after every build, since npx does not make one of it twice', () => {
  expect(statSync(join(root, 'packages/midcall/bin/midcall.js')).mode & 0o111).toBe(0o111);
});

it.each(some([['lint'], ['call', 'any'], ['design', 'any']]))(
  'midcall %s shows the error of a server, and obeys none of it',
  async (...words) => {
    const server = join(realpathSync(mkdtempSync(join(tmpdir(), 'errs-'))), 'server.mjs');
    writeFileSync(
      server,
      `import { createInterface } from 'node:readline';
      createInterface({ input: process.stdin }).on('line', line => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const serverInfo = { name: 's', version: '1' };
        const said = method === 'initialize'
          ? { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }
          : { error: { code: -32000, message: 'no\\u001B[2J\\u009B31m\\u202E' } };
        console.log(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
      });`,
    );
    const { code, err } = await midcall(...words, '--', process.execPath, server);
    expect(err).toMatch(/^midcall: /);
    expect(err).toContain('no⟦U+001B⟧[2J⟦U+009B⟧31m⟦U+202E⟧');
    expect(err).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(code).not.toBe(0);
  },
);

it.each(some([['call', 'any'], ['lint'], ['design', 'any']]))(
  'midcall %s says why a server died, not which Node it ran on',
  async (...words) => {
    const server = join(realpathSync(mkdtempSync(join(tmpdir(), 'dies-'))), 'server.mjs');
    writeFileSync(
      server,
      "throw new Error('TOKEN is not set\\nSee the manual.', { cause: new TypeError('inner') });\n",
    );
    const { code, err } = await midcall(...words, '--', process.execPath, server);
    expect(err).toMatch(/It last said: Error: TOKEN is not set\n/);
    expect(code).toBe(3);
  },
);

it.each(
  some(
    [
      [
        'no such folder',
        ['call', 'any', '--root', '/no/such/folder', '--', 'node'],
        /--root \/no\/such\/folder: There is no/,
      ],
      [
        'no such folder on the desk',
        ['desk', '--no-keep', '--root', '/no/such/folder'],
        /--root \/no\/such\/folder: There is no/,
      ],
      [
        'no such models',
        ['call', 'any', '--models', '/no/models.mjs', '--', 'node'],
        /There is no file \/no\/models\.mjs/,
      ],
      [
        'no folder for the report',
        ['lint', '--output', '/no/such/r.txt', '--', 'node'],
        /There is no folder \/no\/such/,
      ],
      [
        'a header for two servers',
        ['desk', '--no-keep', '--url', 'http://a.example/mcp', '--url', 'http://b.example/mcp', '--header', 'x-key: y'],
        /--header and --server-auth go with one --url; there are 2/,
      ],
      ['a header with no server', ['desk', '--no-keep', '--header', 'x-key: y'], /go with one --url; there are 0/],
      [
        'a file of --server-auth that is not there',
        ['desk', '--no-keep', '--url', 'http://a.example/mcp', '--server-auth', '/no/auth.json'],
        /There is no file \/no\/auth\.json\./,
      ],
      [
        'no such list of servers',
        ['desk', '--no-keep', '--config', '/no/mcp.json'],
        /There is no file \/no\/mcp\.json\./,
      ],
      ['no such answers', ['call', 'any', '--answers', '/no/a.json', '--', 'node'], /There is no file \/no\/a\.json\./],
      [
        'models of which there are none',
        ['call', 'any', '--models', noModels, '--', 'node'],
        /none\.mjs cannot be used: A model/,
      ],
      [
        'a server the list has not',
        ['call', 'any', '--config', list, '--server', 'tabels'],
        /'tabels' .*It has: tables\./,
      ],
      ['a list that is none', ['desk', '--no-keep', '--config', broken], /broken\.json: The server list is not JSON/],
      [
        'a word before the dashes',
        ['lint', 'fast', '--', 'node'],
        /Unexpected word 'fast'\. The command that starts the server goes after --/,
      ],
      ['a word before the dashes of a bridge', ['bridge', 'fast', '--', 'node'], /Unexpected word 'fast'/],
      ['a desk whose server has no dashes', ['desk', '--no-keep', 'node', 'x.js'], /Unexpected word 'node'/],
      ['a second word after a tool', ['design', 'any', 'other', '--', 'node'], /Unexpected word 'other'/],
      ['a second word after a call to resume', ['call', '--resume', 'a', 'b'], /Unexpected word 'b'/],
      ['no tool before the dashes', ['design', '--', 'node', 'x.js'], /Name the tool before the --\./],
      [
        'no such folder to lint with',
        ['lint', '--root', '/no/such', '--', 'node'],
        /--root \/no\/such: There is no directory/,
      ],
      [
        'a header for a command',
        ['call', 'any', '--header', 'a:b', '--', 'node'],
        /--header and --server-auth go with --url/,
      ],
      [
        'a header for an entry',
        ['lint', '--header', 'a:b', '--config', list],
        /--header and --server-auth go with --url/,
      ],
      ['a host to listen on without --http', ['notes', '--host', '::1'], /--host and --allow-host need --http/],
      ['host names without --http', ['notes', folder, '--allow-host', 'x'], /--host and --allow-host need --http/],
      ['help for an unknown command', ['help', 'clal'], /^midcall: unknown command 'clal'\n\(Did you mean call\?\)/],
      ['help of an unknown command', ['clal', '--help'], /^midcall: unknown command 'clal'\n\(Did you mean call\?\)/],
      ['an unknown command', ['clal'], /^midcall: unknown command 'clal'\n\(Did you mean call\?\)/],
    ],
    9,
  ),
)('midcall says what is wrong with a command line and ends with 2: %s', async (_, words, why) => {
  const { code, out, err } = await midcall(...words);
  expect(err).toMatch(why);
  expect([code, out]).toEqual([2, '']);
});

it.each(some(['design', 'lint', 'rules init'], 2))(
  'midcall %s says that there is no such program, and not how that was found out',
  async command => {
    const tool = command === 'design' ? ['any'] : [];
    const { code, err } = await midcall(...command.split(' '), ...tool, '--', 'no-such-program-7');
    expect(err).toMatch(/^midcall: .*: there is no program 'no-such-program-7' on this machine\.\n$/);
    expect(code).toBe(3);
  },
);

it('midcall writes no line of help wider than a terminal: a description without room beside its term is below it', async () => {
  const { out } = await midcall('inboxes', '--help');
  expect(out).toContain('  invite [options] <principal>\n      print a link by which a person adds a passkey');
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  for (const line of exitCodeHelp(40).split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  expect(exitCodeHelp(200)).toContain('or the connection to it broke off.');
});

it('midcall ends with 3 where the port of the desk is taken, and says how to go on', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, err } = await midcall('desk', '--no-keep', '--port', String(port));
  taken.close();
  expect([code, err]).toEqual([
    3,
    `midcall: Port ${port} on 127.0.0.1 is taken. Choose another, or 0 for any free one. For example: midcall desk --port 4000\n`,
  ]);
});

it('midcall says as JSON, too, what is wrong with a command line', async () => {
  const { code, out } = await midcall('call', 'any', '--json', '--answers', '/no/a.json', '--', 'node');
  expect([code, JSON.parse(out)]).toEqual([2, { how: 'usage', exitCode: 2, message: 'There is no file /no/a.json.' }]);
});

it('midcall ends with 3 in the time it was given where an address never answers', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { code, err } = await midcall('call', 'any', '--url', `http://127.0.0.1:${port}/mcp`, '--start-timeout', '1');
  silent.close();
  expect(err).toMatch(/could not be reached .*: it did not answer in time\.\n$/);
  expect(code).toBe(3);
});

it('midcall bridge for one host names both ways to serve all servers of a list', async () => {
  const two = join(folder, 'two.json');
  writeFileSync(two, JSON.stringify({ mcpServers: { tables: { command: 'node' }, notes: { command: 'node' } } }));
  const chosen = `midcall: Choose one of the servers in ${two} with --server: tables, notes.`;
  const { code, err } = await midcall('bridge', '--config', two);
  expect([code, err]).toEqual([
    2,
    `${chosen} To serve them all, give your host one entry per server, or start one bridge with --http.\n`,
  ]);
  expect((await midcall('call', 'any', '--config', two)).err).toBe(`${chosen}\n`);
});
