/** The loopback page server and the process it lives in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('./loopback-child.mjs', import.meta.url));

it('page-server-P2: the page server keeps no process alive, though somebody holds a connection and never comes to the end', async () => {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port, pathname, host } = new URL(url);
  const held = connect(Number(port), '127.0.0.1');
  held.on('error', () => {});
  let said = '';
  held.on('data', part => {
    said += part;
  });
  const closed = new Promise(resolve => held.once('close', resolve));
  await once(held, 'connect');
  held.write(`POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nx-a`);
  // Taken after the other, so that one has been taken when this is answered.
  expect((await fetch(url)).status).toBe(200);
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  await closed;
  // Not cut off by a time limit (408), which the process would have waited for.
  expect(said).toBe('');
});
