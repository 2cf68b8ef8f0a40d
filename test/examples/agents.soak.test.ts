/** Agents of frameworks that are not installed here, as npm has them, with scripted models: a restart while the person thinks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../tools/places.ts';
import { fromNpm } from '../fixtures/from-npm.ts';
import { node22 } from '../fixtures/node-22.ts';

const frameworks = {
  // It does not start on Node 20.
  mastra: { from: ['@mastra/core@1.71', '@mastra/libsql@1'], package: '@mastra/libsql', program: () => node22()! },
  'claude-agent': {
    from: ['@anthropic-ai/claude-agent-sdk@0.3.330'],
    package: '@anthropic-ai/claude-agent-sdk',
    program: () => process.execPath,
  },
} as const;

/** The examples are copied to where their imports find what npm installed. */
function installed(framework: keyof typeof frameworks): string {
  const folder = `agents/${framework}`;
  const { from, package: name } = frameworks[framework];
  expect(fromNpm(folder, from, `${name}/package.json`)).toBeDefined();
  const examples = join(root, 'node_modules/.cache', folder, 'examples');
  rmSync(examples, { recursive: true, force: true });
  cpSync(join(root, 'examples'), examples, { recursive: true });
  return join(examples, 'main.ts');
}

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves when the terminal shows a text. */
  until(text: string): Promise<void>;
}

function start(program: string, args: readonly string[], key: string): Started {
  const flags = program === process.execPath ? [] : ['--no-experimental-strip-types']; // it would refuse node_modules
  const child = spawn(program, [...flags, '--import', join(root, 'tools/load-typescript.mjs'), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], MIDCALL_KEY: key, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // so that what it starts can be ended with it
  });
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  });
  const text = { stdout: '', stderr: '' };
  let look = () => {};
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', part => {
      text[name] += part;
      look();
    });
  return {
    child,
    output: () => text.stdout.trim() || text.stderr,
    until: what =>
      new Promise((resolve, reject) => {
        look = () => text.stderr.includes(what) && resolve();
        child.once('close', () => reject(new Error(`It ended without '${what}':\n${text.stdout}\n${text.stderr}`)));
        look();
      }),
  };
}

const secondTime = '1\n2\n1\n'; // answer, 19:30, send
const supported = process.platform === 'linux' && process.arch === 'x64';

it.runIf(supported).each(Object.keys(frameworks) as (keyof typeof frameworks)[])(
  'an agent with %s takes the same call up after it was killed while the person thought',
  async framework => {
    const main = installed(framework);
    const folder = await mkdtemp(join(tmpdir(), 'midcall-agents-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const key = randomBytes(32).toString('base64');
    const run = () => start(frameworks[framework].program(), [main, 'agents', framework, '--data', folder], key);

    const first = run();
    await first.until('What do you want to do?');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');

    const second = run();
    await second.until('What do you want to do?');
    second.child.stdin!.write(secondTime);
    await once(second.child, 'close');
    expect(second.output()).toBe('The restaurant says: Booked for 4 at 19:30.');
    const { entries } = JSON.parse(await readFile(join(folder, 'calls.json'), 'utf8'));
    expect(entries.map(([name]: [string]) => name)).toEqual([expect.stringMatching(/^host:agent-call:/)]);
  },
);
