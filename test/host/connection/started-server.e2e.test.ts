/** A server whose process runs before its connection is there. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, commandTarget, Inbox, StartedServer } from '@midcall/host';
import { DEFAULT_INHERITED_ENV_VARS } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { inheritedEnvironment } from '../../../packages/host/src/sdk-seam/inherited-environment.ts';

const endless = 2 ** 31 - 1;
const body = `
import { createInterface } from 'node:readline';
process.stderr.write('here is ' + process.pid + '\\n');
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'early', version: '1' } };
  if (method === 'initialize') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;
const run = (code: string) => commandTarget([process.execPath, '--input-type=module', '-e', code]) as never;
const connectionTo = (target: never, started: StartedServer) =>
  new Connection(
    { id: 'early', target },
    {
      client: { name: 'host', version: '1' },
      inbox: new Inbox(),
      era: '2025-11-25',
      startTimeoutMs: endless,
      started,
    },
  );

it('a started server is taken over by its connection’s first start, with what it has said, and started anew later', async () => {
  const target = run(body);
  const started = new StartedServer(target);
  const connection = connectionTo(target, started);
  await connection.start();
  const [first] = connection.stderr;
  expect(first).toMatch(/^here is \d+$/u);
  await started.stop();
  expect(connection.state).toBe('ready');
  await connection.restart();
  expect(connection.stderr).toHaveLength(1);
  expect(connection.stderr[0]).not.toBe(first);
  await connection.stop();
});

it('a started server that has ended before anybody took it is started again', async () => {
  const started = new StartedServer(run('process.exit(7)'));
  await started.ended;
  const connection = connectionTo(run(body), started);
  await connection.start();
  expect(connection.state).toBe('ready');
  await connection.stop();
});

it('a started server is not there for anybody once it was stopped', async () => {
  const started = new StartedServer(run(body));
  await started.stop();
  expect(started.take(() => {})).toBeUndefined();
});

const counting = (body: string, file: string) => `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
appendFileSync(${JSON.stringify(file)}, 'x');
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...message }) + '\\n');
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'early', version: '1' } };
  if (method === 'initialize') send({ result });
  ${body}
});`;

it.each([
  [
    'once where it refuses the question',
    `else if (id !== undefined) send({ error: { code: -32601, message: 'None' } });`,
    1,
  ],
  ['twice where it ends at the question', `else if (method === 'server/discover') process.exit(1);`, 2],
])('a server is asked which revision it speaks, and is started %s', async (_, body, times) => {
  const file = join(mkdtempSync(join(tmpdir(), 'early-')), 'starts');
  const connection = new Connection(
    { id: 'early', target: run(counting(body, file)) },
    { client: { name: 'host', version: '1' }, inbox: new Inbox(), startTimeoutMs: endless },
  );
  await connection.start();
  expect([connection.state, connection.server?.era]).toEqual(['ready', '2025-11-25']);
  await connection.stop();
  expect(readFileSync(file, 'utf8')).toHaveLength(times);
});

it('a server inherits of the environment what the SDK lets a server inherit', () => {
  const environment = { ...Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map(name => [name, 'x'])), SECRET: 'y' };
  const inherited = inheritedEnvironment(environment, process.platform);
  expect(Object.keys(inherited).sort()).toEqual([...DEFAULT_INHERITED_ENV_VARS].sort());
  expect(inheritedEnvironment({ PATH: '() { ls; }' }, process.platform)).toEqual({});
});

it('a connection fails to start where its server ends after it was taken over', async () => {
  const target = run(`process.stdin.once('data', () => process.exit(3));`);
  await expect(connectionTo(target, new StartedServer(target)).start()).rejects.toThrow();
});
