/** `midcall dev`: a server that is being written is started again when its files change, and the desk connects to it anew. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../tools/places.ts';
import { grown } from '../fixtures/grown.ts';

const command = join(root, 'packages/midcall/bin/midcall.js');

/** Tells this process of each request that it gets, on a connection of its own. */
const server = (port: number) => `
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { version } from './lib/version.mjs';
const told = connect(${port}, '127.0.0.1');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  told.write(version + ' ' + method + '\\n');
  if (method === 'initialize')
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } }) + '\\n');
  else if (method === 'tools/list') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }) + '\\n');
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}
told.end();`;

it('midcall dev starts a server again when a file that it imports changes, and asks it for its tools', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const told: string[] = [];
  const listener = (await import('node:net')).createServer(socket =>
    createInterface({ input: socket.on('error', () => {}) }).on('line', line => void told.push(line)),
  );
  listener.listen(0, '127.0.0.1');
  onTestFinished(() => void listener.close());
  await once(listener, 'listening');
  mkdirSync(join(folder, 'lib'));
  const version = (words: string) =>
    writeFileSync(join(folder, 'lib/version.mjs'), `export const version = '${words}';\n`);
  version('first');
  writeFileSync(join(folder, 'server.mjs'), server((listener.address() as { port: number }).port));
  const dev = spawn(process.execPath, [command, 'dev', join(folder, 'server.mjs'), '--era', '2025-11-25'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CI: '1' },
  });
  onTestFinished(() => void dev.kill('SIGKILL'));
  const [link] = (await once(createInterface({ input: dev.stdout! }), 'line')) as [string];
  expect(link).toMatch(/^Midcall desk: http:\/\/127\.0\.0\.1:\d+\//);
  await grown(told, lines => lines.includes('first tools/list'));
  version('second');
  await grown(told, lines => lines.includes('second tools/list'));
  expect(told.indexOf('second initialize')).toBeGreaterThan(told.indexOf('first tools/list'));
  dev.kill('SIGTERM');
  await once(dev, 'exit');
});
