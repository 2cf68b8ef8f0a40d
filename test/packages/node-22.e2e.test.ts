/**
 * The packages on Node 22, which we recommend: what each package does, and unit tests. Everything else is tested on the Node that
 * runs the tests, which is 20 in `npm test`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/places.ts';
import { node22 } from '../fixtures/node-22.ts';
import { inSoak } from '../fixtures/soak.ts';

const node = node22();

const run = (...args: readonly string[]) => {
  // What the tests within record would be taken for what this one says.
  const env = { ...process.env, MIDCALL_FRAMES_DIR: undefined, MIDCALL_CANARY_DIR: undefined };
  const { status, stdout, stderr } = spawnSync(node!, args, { cwd: root, encoding: 'utf8', env });
  return { status, stdout, stderr };
};

/** Files, streams, HTTP, ciphers, Unicode and the terminal: what differs from one Node to the next. */
const closeToNode = [
  'roots/files',
  'server/http/http',
  'server/http/compressed',
  'server/state/seal',
  'text/visible',
  'patterns/pattern',
  'host/terminal',
];

describe.runIf(node !== undefined)('Node 22', () => {
  it('Node 22 is what runs', () => {
    expect(run('--version').stdout).toMatch(/^v22\./);
  });

  it('Node 22 requires and imports every entry of the libraries, and says nothing', () => {
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
    'Node 22 asks a person on %s, with @midcall/server, @midcall/host and @midcall/testing',
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

  it('Node 22 runs the command, which keeps what it has compiled', () => {
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

  it('Node 22 makes a project', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'midcall-node-22-')), 'tables');
    expect(run(join(root, 'packages/create-midcall/bin/create-midcall.js'), folder)).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'server.mjs'))).toBe(true);
  });

  it('Node 22 passes the unit tests', () => {
    const quick = ['--tagsFilter', '!thorough', ...closeToNode.map(each => `test/${each}`)];
    const args = ['run', '--project', 'unit', ...inSoak([], quick)];
    const { status, stdout, stderr } = run(join(root, 'node_modules/vitest/vitest.mjs'), ...args);
    expect({ status, said: status === 0 ? '' : `${stdout}${stderr}`.slice(-8_000) }).toEqual({ status: 0, said: '' });
  });
});
