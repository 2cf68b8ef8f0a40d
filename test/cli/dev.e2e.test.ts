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
import { node22 } from '../fixtures/node-22.ts';

const command = join(root, 'packages/midcall/bin/midcall.js');

/** Tells this process of each request that it gets, on a connection of its own. */
const server = (port: number, era: string) => `
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { version } from './lib/version.mjs';
const complete = ${era === '2026-07-28' ? "{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' }" : '{}'};
const told = connect(${port}, '127.0.0.1');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  told.write(version + ' ' + method + '\\n');
  if (method === 'server/discover')
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } }) + '\\n');
  else if (method === 'initialize')
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } }) + '\\n');
  else if (method === 'tools/list') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { ...complete, tools: [] } }) + '\\n');
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}
told.end();`;

/** Node 22 runs TypeScript by itself. */
const typescript = node22();

it.each<readonly [era: string, file: string, node: string]>([
  ['2025-11-25', 'server.mjs', process.execPath],
  ...(typescript === undefined ? [] : [['2026-07-28', 'server.ts', typescript] as const]),
])(
  'midcall dev on %s starts %s again when a file that it imports changes, and asks it for its tools',
  async (era, file, node) => {
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
    const text = server((listener.address() as { port: number }).port, era);
    writeFileSync(
      join(folder, file),
      file.endsWith('.ts')
        ? text.replace('const told', 'const told: Socket').replace('connect }', 'connect, type Socket }')
        : text,
    );
    const dev = spawn(node, [command, 'dev', join(folder, file), '--era', era], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, CI: '1' },
    });
    onTestFinished(() => void dev.kill('SIGKILL'));
    const [link] = (await once(createInterface({ input: dev.stdout! }), 'line')) as [string];
    expect(link).toMatch(/^Midcall desk: http:\/\/127\.0\.0\.1:\d+\//);
    await grown(told, lines => lines.includes('first tools/list'));
    version('second');
    await grown(told, lines => lines.includes('second tools/list'));
    const first = era === '2026-07-28' ? 'server/discover' : 'initialize';
    expect(told.indexOf(`second ${first}`)).toBeGreaterThan(told.indexOf('first tools/list'));
    dev.kill('SIGTERM');
    await once(dev, 'exit');
  },
);
