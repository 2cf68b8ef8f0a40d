/** What is done before a process ends, however it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const module = new URL('../../../packages/host/dist/base/before-end.js', import.meta.url);

/** A process of which the first act before its end throws. */
const program = (end: string): string => `
  import { beforeEnd } from ${JSON.stringify(module.href)};
  beforeEnd(() => { throw new Error('The terminal is gone.'); });
  beforeEnd(() => console.log('restored'));
  ${end}`;

it.runIf(process.platform !== 'win32').each([
  ['an exit', 'process.exit(7);', [7, null]],
  ['a signal', `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e6);`, [null, 'SIGTERM']],
] as const)('before %s, an act that fails is said, and the others are done all the same', async (_, end, ending) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(end)], {
    // What records the words of processes in the whole run has ended by then.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, ended] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(ended).toEqual(ending);
  expect(out).toBe('restored\n');
  expect(err).toBe('midcall: before the end of this process, something failed: Error: The terminal is gone.\n');
});
