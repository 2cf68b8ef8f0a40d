/** Servers that say too much, and hosts that read too little: real processes on both sides. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/places.ts';

const main = join(root, 'packages/midcall/bin/midcall.js');
const server = join(root, 'test/bridge/flood-server.mjs');

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
}

/** A host by hand on a bridge, which has no browser. */
async function bridge() {
  const child = spawn(process.execPath, [main, 'bridge', '--link', '--', process.execPath, server], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PATH: '/nowhere' },
  });
  let said = '';
  const hearers = new Set<() => void>();
  child.stderr.on('data', chunk => {
    said += chunk;
    for (const hear of hearers) hear();
  });
  const waiting = new Map<number, (frame: Frame) => void>();
  const told = new Map<string, number>();
  createInterface({ input: child.stdout }).on('line', line => {
    const frame = JSON.parse(line) as Frame;
    if (frame.method !== undefined) {
      told.set(frame.method, (told.get(frame.method) ?? 0) + 1);
      for (const hear of hearers) hear();
    } else waiting.get(frame.id!)?.(frame);
  });
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise(resolve => {
      const hear = (): void => {
        if (!isSo()) return;
        hearers.delete(hear);
        resolve();
      };
      hearers.add(hear);
      hear();
    });
  let last = 0;
  const ask = (method: string, params: object): Promise<Frame> => {
    last += 1;
    const id = last;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise(resolve => waiting.set(id, resolve));
  };
  const clientInfo = { name: 'host', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    child,
    told,
    stderr: () => said,
    saying: (text: string) => until(() => said.includes(text)),
    logs: (count: number) => until(() => (told.get('notifications/message') ?? 0) >= count),
    tell: (method: string, params: object) =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    say: (given: object, meta?: object) =>
      ask('tools/call', { name: 'say', arguments: given, ...(meta && { _meta: meta }) }),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Waits until a text is on the desk, which the link that the bridge prints leads to. */
async function onDesk(stderr: string, text: string): Promise<void> {
  const [link] = /http:\/\/127\.0\.0\.1:\d+\/start\?\S+/u.exec(stderr)!;
  const started = await fetch(link, { redirect: 'manual' });
  const [cookie, path] = started.headers.get('set-cookie')!.split('; ');
  const inbox = new URL(`${path!.replace('Path=', '')}/inbox?from=150`, link);
  for (let page = ''; !page.includes(text); )
    page = await (await fetch(inbox, { headers: { cookie: cookie! } })).text();
}

/** The memory of a process, in MiB. */
const memory = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

const none = { what: 'nothing' };
const answersOf = ({ result }: Frame): Record<string, number> => JSON.parse(result!.content[0]!.text);

describe('a server that floods', () => {
  it('a server that floods has 200 questions of one call wait on the desk, and none of them ended', async () => {
    await using on = await bridge();
    void on.say({ what: 'inside', times: 200 });
    await on.saying('a question waits at');
    expect(answersOf(await on.say(none))).toEqual({});
    await onDesk(on.stderr(), 'Question 199');
    expect(answersOf(await on.say(none))).toEqual({});
  });

  it('a server that floods is answered that nobody looks where it asks 3,000 things outside a call, past the first thousand', async () => {
    await using on = await bridge();
    await on.say(none);
    on.tell('notifications/ask', { times: 3_000 });
    // A call made meanwhile would be taken for the one that asks.
    await on.logs(2);
    expect(answersOf(await on.say(none))).toEqual({ cancel: 2_000 });
    expect(on.stderr()).not.toMatch(/Warning/u);
  });

  it('a server that floods has its logs and its progress passed on, without a warning of Node', async () => {
    await using on = await bridge();
    await on.say({ what: 'logs', times: 20_000, characters: 50 });
    await on.say({ what: 'progress', times: 5_000 }, { progressToken: 'p' });
    expect(on.told.get('notifications/message')).toBe(20_000);
    expect(on.told.get('notifications/progress')).toBeGreaterThan(1_000);
    expect(on.stderr()).not.toMatch(/Warning/u);
  });
});

it('a server waits for a host that does not read, and the bridge keeps nothing of what it would say', async () => {
  await using on = await bridge();
  await on.say(none);
  const before = memory(on.child);
  on.child.stdout.pause();
  const times = 4_000;
  const logging = on.say({ what: 'logs', times, characters: 16_000 });
  let most = 0;
  // So often that a bridge which went on reading would have read most of the 64 MB by then.
  for (let look = 0; look < 20_000; look += 1) {
    await new Promise(setImmediate);
    most = Math.max(most, memory(on.child));
  }
  on.child.stdout.resume();
  await logging;
  expect(on.told.get('notifications/message')).toBe(times);
  expect(most - before).toBeLessThan(20);
});
