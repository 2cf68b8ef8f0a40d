/** Renewing across real processes on one SQLite file or one Redis, with a real authorization server; and a winner killed in the middle. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@midcall/core/time';
import { type Provider, provider, type Vault, vault } from '@midcall/server/connect';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import type { Store } from '../../packages/core/src/store/store.ts';
import { randomToken } from '../../packages/server/src/connect/oauth/flows.ts';
import { type RedisServer, redisServer, startRedis } from '../stores/redis-server.ts';
import { Browser } from './sign-in-flow.ts';

const script = fileURLToPath(new URL('./refresh-child.mjs', import.meta.url));
const clientSecret = 'client-secret-canary-0123456789';
const redirectUri = 'http://127.0.0.1:9/callback';
const alice = { issuer: 'https://login.example', subject: 'alice' };
const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 3)).toString('base64');

// Eight processes start slowly where others are busy, and that is not what is tested.
vi.setConfig({ testTimeout: 300_000 });

let server: AuthorizationServer;
let folder: string;
let redis: RedisServer | undefined;
let where: string;
let store: Store;
let close: () => void;
let kept: Vault;
let notes: Provider;
let time: number;
/** Refresh tokens as they arrived at the token endpoint. */
let refreshes: number;

beforeAll(async () => {
  server = await startAuthorizationServer({
    clients: [
      {
        client_id: 'midcall',
        client_secret: clientSecret,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['notes.read'],
    person: 'alice',
  });
  folder = await mkdtemp(join(tmpdir(), 'midcall-refresh-'));
  redis = redisServer === undefined ? undefined : await startRedis();
});
afterAll(async () => {
  await Promise.all([server?.close(), redis?.remove()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});
/** A store with one sign-in whose access token has expired. */
async function begin(kind: 'sqlite' | 'redis'): Promise<void> {
  if (kind === 'sqlite') {
    where = join(folder, `${randomToken()}.db`);
    const opened = await sqliteStore(where, { lockTimeoutMs: 60_000 });
    store = opened;
    close = () => opened.close();
  } else {
    where = redis!.socket;
    const client = redis!.connect();
    store = redisStore({ send: args => client.call(...args) });
    close = () => client.disconnect();
  }
  time = Date.now();
  refreshes = 0;
  notes = provider({
    id: 'notes',
    issuer: server.issuer,
    clientId: 'midcall',
    clientSecret,
    scopes: ['notes.read'],
    timeoutMs: 600_000,
    clock: { now: () => time },
  });
  kept = vault({ store, key, clock: { ...systemClock, now: () => time } });
  const [state, verifier] = [randomToken(), randomToken()];
  const asked = { state, verifier, scopes: notes.scopes };
  const url = await notes.client.authorizationUrl({ ...asked, redirectUri });
  const callback = (await new Browser().follow(url, redirectUri)).url;
  const { tokens } = await notes.client.exchange(callback, asked);
  await kept.keepSignIn(alice, notes, { ...tokens, expiresAt: 1 });
}
afterEach(() => {
  server.state.intercept = undefined;
  close();
});

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

async function child(kind: 'sqlite' | 'redis'): Promise<Child> {
  const args = [script, kind, where, server.issuer, key, String(time)];
  const started = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: started.stdout });
  await once(lines, 'line');
  return { process: started, lines };
}

describe.each(redisServer === undefined ? (['sqlite'] as const) : (['sqlite', 'redis'] as const))('%s', kind => {
  beforeEach(() => begin(kind));

  it('refresh-R1, refresh-R2: of eight processes that find a token expired one renews it, and all get the same token', async () => {
    server.state.intercept = req => {
      if (req.url === '/token') refreshes += 1;
      return false;
    };
    const children = await Promise.all(Array.from({ length: 8 }, () => child(kind)));
    for (const each of children) each.process.stdin.end('go\n');
    const got = await Promise.all(children.map(async each => ((await once(each.lines, 'line')) as [string])[0]));
    const token = (await kept.token(alice, notes))?.value ?? 'none';
    expect(new Set(got)).toEqual(new Set([createHash('sha256').update(token).digest('base64')]));
    expect(token).not.toBe('none');
    expect(refreshes).toBe(1);
  });

  it('refresh-R1, refresh-R4: a process killed in a renewal leaves a token that is never presented again: the person has to sign in', async () => {
    let reached = (): void => {};
    const arrived = new Promise<void>(resolve => {
      reached = resolve;
    });
    server.state.intercept = async req => {
      if (req.url !== '/token') return false;
      refreshes += 1;
      reached();
      return true;
    };
    const winner = await child(kind);
    const died = once(winner.process, 'exit');
    winner.process.stdin.end('go\n');
    await arrived;
    winner.process.kill('SIGKILL');
    await died;
    server.state.intercept = req => {
      if (req.url === '/token') refreshes += 1;
      return false;
    };
    // A wait for another process takes a second, at once.
    const clock: Clock = {
      now: () => time,
      after(ms, fn) {
        if (ms >= 1_000) return systemClock.after(ms, fn);
        time += 1_000;
        setImmediate(fn);
        return () => {};
      },
    };
    const waiting = vault({ store, key, clock });
    await expect(waiting.token(alice, notes)).rejects.toMatchObject({
      code: 'connect/provider',
      message: expect.stringContaining('renewed by another process'),
    });
    time += notes.renewalTimeoutMs;
    expect(await kept.token(alice, notes)).toBeUndefined();
    expect(refreshes).toBe(1);
  });
});
