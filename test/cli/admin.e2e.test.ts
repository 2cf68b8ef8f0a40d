/** `midcall admin`: what waits in a store of servers, SQLite or Redis, and how one call is ended. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Store } from '@midcall/core/store';
import { midcall } from '@midcall/server';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { connectPair } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../tools/places.ts';
import { redisServer, startRedisAtPort } from '../stores/redis-server.ts';

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

/** A call that ended with a ticket, which the model may still resume. */
async function leaveTicket(store: Store): Promise<void> {
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
}

it('midcall admin lists what waits without its contents, ends it, and says what is missing', async () => {
  const path = join(directory, 'calls.db');
  const store = await sqliteStore(path);
  await leaveTicket(store);
  const { stdout } = await admin(['--store', path]);
  expect(stdout).toContain('note_publish');
  expect(stdout).toContain('a ticket that waits for the model to call resume, since 2');
  expect(stdout).not.toContain('canary-admin');
  const wrong = { MIDCALL_KEY: randomBytes(32).toString('base64') };
  await expect(admin(['--store', path], wrong)).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The key does not open the calls that wait in this store.'),
  });
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

it('midcall admin tells a wrong store and one that cannot be reached from a failure of its own', async () => {
  const other = join(directory, 'other.txt');
  await writeFile(other, 'no database, but of some length, as a list of names or the like would be');
  await expect(admin(['--store', other])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not a SQLite database'),
  });
  await expect(admin(['--store', ''])).rejects.toMatchObject({ code: 2 });
  await expect(admin(['--store', 'redis://127.0.0.1:1'])).rejects.toMatchObject({
    code: 3,
    stderr: expect.stringContaining('cannot be reached'),
  });
});

describe.runIf(redisServer)('a store in Redis', () => {
  it('midcall admin lists what waits in Redis under the servers’ prefix, and ends it; no error says the password', async () => {
    const password = randomBytes(12).toString('hex');
    const { redis, port } = await startRedisAtPort('--requirepass', password);
    const client = new Redis({ path: redis.socket, password });
    try {
      await leaveTicket(redisStore({ send: args => client.call(...args), prefix: 'notes:' }));
      const address = `redis://:${password}@127.0.0.1:${port}`;
      const { stdout } = await admin(['--store', address, '--prefix', 'notes:']);
      expect(stdout).toContain('note_publish');
      expect(stdout).not.toContain('canary-admin');
      const [id] = stdout.split('\n');
      const named = { MIDCALL_KEY: key, MIDCALL_STORE: address };
      expect((await admin(['--prefix', 'notes:', '--cancel', id!], named)).stdout).toBe('Ended.\n');
      expect((await admin(['--prefix', 'notes:'], named)).stdout).toBe('No calls wait.\n');
      for (const [wrong, said] of [
        [`redis://:no${password}@127.0.0.1:${port}`, 'WRONGPASS'],
        [`redis://:${password}@127.0.0.1:1`, 'ECONNREFUSED'],
        [`redis://:${password}@[`, 'not a valid address'],
        [`postgres://:${password}@127.0.0.1`, 'redis://'],
      ] as const) {
        const { stderr } = await admin(['--store', wrong]).catch((error: { readonly stderr: string }) => error);
        expect(stderr.split('\n')).toHaveLength(2);
        expect(stderr).toContain(said);
        expect(stderr).not.toContain(password);
      }
    } finally {
      client.disconnect();
      await redis.remove();
    }
  });
});
