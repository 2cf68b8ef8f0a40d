/** `midcall call --detach` and `--resume`: a call that is left, and taken up by another process. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { midcall as toolkit } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { askingServer } from '../host/person.ts';
import { interrupt, terminal } from './tty.ts';

const bin = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function midcall(words: readonly string[]): Promise<Ran> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', chunk => (stdout += chunk));
    child.stderr.on('data', chunk => (stderr += chunk));
    child.on('close', code => resolve({ code, stdout, stderr }));
  });
}

const server = fileURLToPath(new URL('../fixtures/stock-server.mjs', import.meta.url));

it.each(few(['2026-07-28', '2025-11-25'], '2026-07-28'))(
  'ext-tasks-14: on %s, a call that became a task is left, is listed, and is taken up in another process',
  async era => {
    const home = mkdtempSync(join(tmpdir(), 'midcall-kept-'));
    const [tasks, answers] = [join(home, 'tasks.json'), join(home, 'answers.json')];
    const named = ['--', process.execPath, server, join(home, 'store.db')];
    const left = await midcall(['call', 'count_shelf', '--era', era, '--detach', '--tasks', tasks, ...named]);
    expect(left.code).toBe(0);
    const id = left.stdout.trim();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(left.stderr).toContain(`midcall call --resume ${id.slice(0, 8)}`);
    expect(left.stderr).not.toContain('A server asks');

    const listed = await midcall(['call', '--resume', '--tasks', tasks]);
    expect(listed.stdout).toMatch(
      new RegExp(`^${id.slice(0, 8)}  count_shelf  stock-server  (working|waits for an answer)`),
    );
    const json = await midcall(['call', '--resume', '--json', '--tasks', tasks]);
    expect(JSON.parse(json.stdout)).toEqual([
      {
        id,
        tool: 'count_shelf',
        server: 'stock-server',
        status: expect.stringMatching(/^(working|input_required)$/),
        startedAt: expect.any(String),
      },
    ]);

    writeFileSync(answers, JSON.stringify([{ action: 'accept', content: { value: true } }]));
    const resumed = await midcall(['call', '--resume', id.slice(0, 8), '--tasks', tasks, '--answers', answers]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Answered: accept.\n' });
    // On 2025-11-25 what asks may come before a look at the task says that it waits.
    if (era === '2026-07-28') expect(resumed.stderr).toContain('… the server is waiting for an answer');
    expect(resumed.stderr).not.toContain('may continue');

    expect((await midcall(['call', '--resume', '--tasks', tasks])).stdout).toBe('There are no tasks.\n');
    const again = await midcall(['call', '--resume', id, '--tasks', tasks]);
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toContain(`There is no call '${id}' to return to.`);
  },
);

it.each(few(['2026-07-28', '2025-11-25'], '2025-11-25'))(
  'on %s, Ctrl-C cancels a call that the server works on: the server is there to be told',
  async era => {
    const home = mkdtempSync(join(tmpdir(), 'midcall-kept-'));
    const [tasks, file] = [join(home, 'tasks.json'), join(home, 'store.db')];
    const words = ['wait_for_truck', '--era', era, '--tasks', tasks, '--no-keep'];
    const tty = terminal(words, {}, [process.execPath, server, file]);
    await tty.until('… the server is working on it');
    tty.type(interrupt);
    await tty.until('midcall: the call was cancelled');
    expect(await tty.ended).toBe(130);
    expect(tty.text()).not.toContain('has not confirmed');
    expect((await midcall(['call', '--resume', '--tasks', tasks])).stdout).toBe('There are no tasks.\n');

    const store = await sqliteStore(file);
    const mid = toolkit({ key: 'q7H0c1VfS2m9Zt4yKx8bN3wPdR6uJ5eLgA0iTsYoCz4=', store });
    expect(await mid.calls()).toEqual([]);
    await mid.stop();
    store.close();
  },
);

it('midcall call says of a cancelled call that its server has not confirmed it, and cancels it again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'midcall-kept-'));
  const tasks = join(home, 'tasks.json');
  const command = [process.execPath, server, join(home, 'store.db')];
  const left = await midcall(['call', 'wait_for_truck', '--detach', '--tasks', tasks, '--', ...command]);
  const id = left.stdout.trim();
  // As a host leaves it that is killed before its server has answered.
  const content = JSON.parse(readFileSync(tasks, 'utf8'));
  writeFileSync(tasks, JSON.stringify({ tasks: [{ ...content.tasks[0], cancelled: true }] }));
  const listed = await midcall(['call', '--resume', '--tasks', tasks]);
  expect(listed.stdout).toContain('wait_for_truck  stock-server  cancelled, not confirmed');
  const resumed = await midcall(['call', '--resume', id, '--tasks', tasks]);
  expect(resumed).toMatchObject({ code: 130, stdout: '' });
  expect(resumed.stderr).toContain('midcall: the call was cancelled');
  expect((await midcall(['call', '--resume', '--tasks', tasks])).stdout).toBe('There are no tasks.\n');
});

it('midcall call keeps nothing of a server that makes no task, and says why the result is here', async () => {
  const home = mkdtempSync(join(tmpdir(), 'midcall-kept-'));
  const tasks = join(home, 'tasks.json');
  const named = ['--', process.execPath, askingServer];
  const { code, stderr } = await midcall(['call', 'plain', '--detach', '--tasks', tasks, ...named]);
  expect(code).toBe(0);
  expect(stderr).toContain('The server made no task of this call');
  expect(existsSync(tasks) && readFileSync(tasks, 'utf8').includes('plain')).toBe(false);
});

it('midcall call lists the tools where none is named and nobody is there to choose', async () => {
  const named = ['--', process.execPath, askingServer];
  const { code, stdout } = await midcall(['call', ...named]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^plain\b.*$/m);
  const json = await midcall(['call', '--json', ...named]);
  expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name: 'plain' }));
});

it('midcall call does not leave a call over HTTP on 2025-11-25 whose task would be its session’s alone, and says so', async () => {
  const mid = toolkit({ warn: () => {} });
  const serving = await serveHttp(
    () => {
      const server = new McpServer({ name: 'remote', version: '1.0.0' });
      mid.tool(server, 'act', { task: 'always' }, async () => 'done here');
      return server;
    },
    { port: 0 },
  );
  onTestFinished(async () => {
    await serving.stop({ within: 0 });
    await mid.stop();
  });
  const tasks = join(mkdtempSync(join(tmpdir(), 'midcall-kept-')), 'tasks.json');
  const call = (era: string) =>
    midcall(['call', 'act', '--era', era, '--detach', '--tasks', tasks, '--url', serving.url.href]);
  const bound = await call('2025-11-25');
  expect(bound).toMatchObject({ code: 0, stdout: expect.stringContaining('done here') });
  expect(bound.stderr).toContain('This call cannot be left: over HTTP on 2025-11-25');
  expect(bound.stderr).not.toContain('--resume');
  expect((await call('2026-07-28')).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
});
