/** `midcall admin`: what waits in a store of servers, and how one call is ended. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { midcall } from '@midcall/server';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { connectPair } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

const run = promisify(execFile);
const key = randomBytes(32).toString('base64');
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'midcall-admin-'));
});
afterEach(() => rm(directory, { recursive: true }));

const admin = (args: readonly string[], env: NodeJS.ProcessEnv = { MIDCALL_KEY: key }) => {
  const { MIDCALL_KEY: _, MIDCALL_KEY_FILE: __, ...outer } = process.env;
  const command = join(root, 'packages/midcall/bin/midcall.js');
  return run(process.execPath, [command, 'admin', ...args], { env: { ...outer, ...env } });
};

it('lists what waits without its contents, ends it, and says what is missing', async () => {
  const path = join(directory, 'calls.db');
  const store = await sqliteStore(path);
  const mid = midcall({ key, store, channels: ['relay'], warn: () => {} });
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'note_publish', { annotations: { readOnlyHint: true } }, async (_, call) => {
      return (await call.elicit({ message: 'canary-admin-question?', form: Boolean })).action;
    });
    return server;
  };
  await using pair = await connectPair(factory, { era: '2026-07-28' });
  await pair.client.callTool({ name: 'note_publish' });
  const { stdout } = await admin(['--store', path]);
  expect(stdout).toContain('note_publish');
  expect(stdout).toContain('a ticket that waits for the model to call resume, since 2');
  expect(stdout).not.toContain('canary-admin');
  const [id] = stdout.split('\n');
  expect((await admin(['--store', path, '--cancel', id!])).stdout).toBe('Ended.\n');
  expect((await admin(['--store', path])).stdout).toBe('No calls wait.\n');
  await expect(admin(['--store', path, '--cancel', id!])).rejects.toMatchObject({ code: 2 });
  await expect(admin(['--store', path], {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('MIDCALL_KEY'),
  });
  await expect(admin(['--store', join(directory, 'no.db')])).rejects.toMatchObject({ code: 2 });
  store.close();
});
