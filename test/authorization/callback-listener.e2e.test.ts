/** A real process that waits for a browser to return, and a browser that has connected without asking for anything. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const child = fileURLToPath(new URL('./callback-child.mjs', import.meta.url));

it('callback-L4: a process ends when its sign-in has, although a browser is still connected', async () => {
  const process_ = spawn(process.execPath, [child], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void process_.kill('SIGKILL'));
  const [line] = (await once(process_.stdout, 'data')) as [Buffer];
  const browser = connect(Number(new URL(String(line)).port), '127.0.0.1');
  browser.on('error', () => {});
  await once(browser, 'connect');
  process_.stdin.write('\n');
  const [code] = (await once(process_, 'exit')) as [number];
  expect(code).toBe(0);
  browser.destroy();
});
