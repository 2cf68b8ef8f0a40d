/** Starts `vault-child.mjs` several times over and judges what became of the credentials. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { provider, vault } from '@midcall/server/connect';
import { expect } from 'vitest';
import type { Shared } from './shared-store.ts';

const script = fileURLToPath(new URL('./vault-child.mjs', import.meta.url));
const key = randomBytes(32).toString('base64');
const owner = { issuer: 'https://login.example', subject: 'alice' };
const notes = provider({
  id: 'notes',
  issuer: 'https://provider.example',
  clientId: 'midcall',
  metadata: {
    authorization_endpoint: 'https://provider.example/auth',
    token_endpoint: 'https://provider.example/token',
  },
});
/** As the child names them. */
const names = ['key-1', 'key-2', 'sign-in'] as const;
type Name = (typeof names)[number];

function credentialsIn({ store }: Shared) {
  const kept = vault({ store, key });
  return {
    read: async (name: Name) => (name === 'sign-in' ? (await kept.token(owner, notes))?.value : kept.get(owner, name)),
    forgetAll: async () => {
      for (const name of names) await kept.forget(owner, name === 'sign-in' ? notes : name);
    },
  };
}

const phases = ['before', 'sent', 'after'] as const;
const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');

/** Where a process dies: at which command, and when in it. */
interface Death {
  readonly command: number;
  readonly phase: (typeof phases)[number];
}

function start({ kind, where }: Shared, { command, phase }: Death, from: number) {
  const args = [script, kind, where, key, String(command), phase, String(from)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return { process: child, lines, closed: once(lines, 'close') };
}

/** What the store holds of credentials, beside the credentials that are read: nothing. */
async function rowsAreCredentials(shared: Shared, count: number): Promise<void> {
  expect((await shared.keys()).filter(each => each.includes('vault:'))).toHaveLength(count);
}

/**
 * Kills `kills` processes that replace credentials, one after the other, at random commands to the store. After each, every
 * credential is the last that was acknowledged, or the one that was under way. In the end no row is left over, and none at
 * all once everything is forgotten.
 */
export async function killAtVault(shared: Shared, { kills }: { kills: number }): Promise<void> {
  const credentials = credentialsIn(shared);
  const acknowledged = new Map<string, string>();
  for (let kill = 0; kill < kills; kill++) {
    const death: Death = { command: 1 + Math.floor(Math.random() * 25), phase: phases[kill % phases.length]! };
    const underWay = new Map<string, string>();
    const child = start(shared, death, kill);
    child.lines.on('line', line => {
      const [word, name = '', digest = ''] = line.split(' ');
      if (word === 'keeping') underWay.set(name, digest);
      if (word !== 'kept') return;
      acknowledged.set(name, digest);
      underWay.delete(name);
    });
    const [[, signal]] = (await Promise.all([once(child.process, 'exit'), child.closed])) as [
      [number | null, string | null],
      unknown,
    ];
    expect(signal).toBe('SIGKILL');
    let there = 0;
    for (const name of names) {
      const secret = await credentials.read(name);
      const found = secret === undefined ? undefined : digestOf(secret);
      const allowed = [acknowledged.get(name), ...(underWay.has(name) ? [underWay.get(name)] : [])];
      expect(allowed, `${name}, killed ${death.phase} command ${death.command}`).toContain(found);
      if (found === undefined) continue;
      acknowledged.set(name, found);
      there += 1;
    }
    await rowsAreCredentials(shared, there);
  }
  expect(acknowledged.size).toBeGreaterThan(0);
  await credentials.forgetAll();
  await rowsAreCredentials(shared, 0);
}

/** Reads every credential over and over beside two processes that replace them: none may ever seem to be missing. */
export async function readBesideWriters(shared: Shared, { reads }: { reads: number }): Promise<void> {
  const credentials = credentialsIn(shared);
  const never: Death = { command: 0, phase: 'before' };
  const writers = [start(shared, never, 0), start(shared, never, 1)];
  const written = new Set<string>();
  try {
    await new Promise<void>(resolve => {
      for (const { lines } of writers) {
        lines.on('line', line => {
          const [word, name] = line.split(' ');
          if (word === 'kept' && written.add(name!).size === names.length) resolve();
        });
      }
    });
    const seen = new Set<string>();
    let missing = 0;
    // On, until the writers have shown that they were at work meanwhile.
    for (let read = 0; read < reads || seen.size < 20; read++) {
      // Writers whose lines nobody takes would stand still.
      await setImmediate();
      expect(writers.map(({ process }) => process.exitCode)).toEqual([null, null]);
      const secret = await credentials.read(names[read % names.length]!);
      if (secret === undefined) missing += 1;
      else seen.add(secret);
    }
    expect(missing).toBe(0);
  } finally {
    for (const { process } of writers) process.kill('SIGKILL');
    await Promise.all(writers.map(({ closed }) => closed));
  }
  await rowsAreCredentials(shared, names.length);
  await credentials.forgetAll();
  await rowsAreCredentials(shared, 0);
}
