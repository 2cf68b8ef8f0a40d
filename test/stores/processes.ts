/** Starts `child.mjs` several times over and judges what came out of it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Store } from '../../packages/core/src/store/store.ts';

const script = fileURLToPath(new URL('./child.mjs', import.meta.url));

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

function start(...args: string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { process: child, lines: createInterface({ input: child.stdout }) };
}

/** Lets `racers` processes race for `rounds` tickets and claims: each must be won exactly once. */
export async function raceProcesses(
  store: Store,
  kind: 'sqlite' | 'redis',
  where: string,
  { racers, rounds }: { racers: number; rounds: number },
): Promise<void> {
  for (let round = 0; round < rounds; round++) await store.set(`ticket ${round}`, 'v', { ttlMs: 600_000 });
  const children = Array.from({ length: racers }, () => start('race', kind, where, String(rounds)));
  await Promise.all(children.map(child => once(child.lines, 'line')));
  for (const child of children) child.process.stdin.end('go\n');
  const results = await Promise.all(
    children.map(async child => {
      const [line] = (await once(child.lines, 'line')) as [string];
      return JSON.parse(line) as { tickets: number[]; claims: number[] };
    }),
  );
  const all = Array.from({ length: rounds }, (_, round) => round);
  expect(results.flatMap(each => each.tickets).toSorted((a, b) => a - b)).toEqual(all);
  expect(results.flatMap(each => each.claims).toSorted((a, b) => a - b)).toEqual(all);
}

/**
 * Kills `kills` working processes with SIGKILL, `atOnce` at a time, each at a random line of its output, and looks at
 * what they left: nothing half-written, nothing lost that was acknowledged, no token taken twice.
 */
export async function killWorkers(
  store: Store,
  where: string,
  { kills, atOnce, tokens }: { kills: number; atOnce: number; tokens: number },
): Promise<void> {
  for (let index = 0; index < tokens; index++) await store.set(`token ${index}`, 'v');
  const taken: string[] = [];
  const acknowledged = new Map<string, string>();
  const underWay = new Map<string, string>();
  let left = kills;
  const killOne = async (): Promise<void> => {
    while (left-- > 0) {
      const child = start('work', 'sqlite', where);
      let lines = 1 + Math.floor(Math.random() * 60);
      child.lines.on('line', line => {
        const [word, ...rest] = line.split(' ');
        if (word === 'took') taken.push(rest.join(' '));
        const key = rest.slice(0, 3).join(' ');
        if (word === 'setting') underWay.set(key, rest[3]!);
        if (word === 'set') {
          acknowledged.set(key, rest[3]!);
          underWay.delete(key);
        }
        if (--lines === 0) child.process.kill('SIGKILL');
      });
      await once(child.lines, 'close');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, killOne));

  expect(new Set(taken).size).toBe(taken.length);
  for (const token of taken) expect(await store.get(token)).toBeUndefined();
  // A token that was taken while its taker died is gone and unreported: at most one per kill.
  const remaining = (
    await Promise.all(Array.from({ length: tokens }, (_, index) => store.get(`token ${index}`)))
  ).filter(value => value !== undefined).length;
  expect(tokens - remaining - taken.length).toBeGreaterThanOrEqual(0);
  expect(tokens - remaining - taken.length).toBeLessThanOrEqual(kills);
  expect(taken.length).toBeGreaterThan(0);
  expect(acknowledged.size).toBeGreaterThan(0);

  for (const key of new Set([...acknowledged.keys(), ...underWay.keys()])) {
    const value = await store.get(key);
    if (value === undefined) {
      expect(acknowledged.has(key)).toBe(false);
      continue;
    }
    const [digest, body] = value.split(' ') as [string, string];
    expect(createHash('sha256').update(body).digest('base64')).toBe(digest);
    expect([acknowledged.get(key), underWay.get(key)]).toContain(digest);
  }
}
