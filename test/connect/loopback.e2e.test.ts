/** The loopback page server and the process it lives in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('./loopback-child.mjs', import.meta.url));

it('P2: keeps no process alive, though somebody holds a connection and never comes to the end', async () => {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port, pathname, host } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\nPOST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nx-a`);
  const [said] = (await once(socket, 'data')) as [Buffer];
  expect(said.toString()).toContain('HTTP/1.1 200');
  socket.resume();
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  await closed;
});
