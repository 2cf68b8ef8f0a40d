/** One desk for all commands of a person, as processes: found, stopped, and kept to its port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

/** A person of their own, with commands. @param port - of their desk */
function person(port?: number) {
  const own = mkdtempSync(join(tmpdir(), 'p-'));
  if (port !== undefined) {
    mkdirSync(join(own, 'midcall', 'desk'), { recursive: true, mode: 0o700 });
    writeFileSync(join(own, 'midcall', 'desk', 'address.json'), JSON.stringify({ port }));
  }
  const env = { ...process.env, XDG_CONFIG_HOME: own, XDG_RUNTIME_DIR: own, XDG_STATE_HOME: own };
  return (...words: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        said += String(chunk);
        for (const look of listeners) look();
      });
    const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
    return {
      child,
      ended,
      said: () => said,
      says: (pattern: RegExp) =>
        new Promise<RegExpExecArray>(resolve => {
          const look = (): void => {
            const found = pattern.exec(said);
            if (found) resolve(found);
          };
          listeners.add(look);
          look();
        }),
    };
  };
}

const link = /Midcall desk: (http:\/\/127\.0\.0\.1:(\d+)\/start\?key=\S+)/;

it('a second command uses the desk that runs, at the port it was given once, until it is stopped', async () => {
  const run = person();
  const port = await freePort();
  const first = run('desk', '--port', String(port));
  const [, oneLink] = await first.says(link);
  const second = run('desk');
  expect(await second.ended).toBe(0);
  const [, otherLink, samePort] = await second.says(link);
  expect(samePort).toBe(String(port));
  expect((await fetch(otherLink!, { redirect: 'manual' })).status).toBe(303);
  expect(oneLink).not.toBe(otherLink);
  const late = run('desk', '--port', '1');
  expect(await late.ended).toBe(2);
  expect(late.said()).toContain('--port can only be given when it starts');

  const stop = run('desk', '--stop');
  expect(await stop.ended).toBe(0);
  expect(stop.said()).toContain('The desk has stopped.');
  expect(await first.ended).toBe(0);
  expect(await run('desk', '--stop').ended).toBe(0);

  // It has its port again, without being told.
  const [, , again] = await run('desk').says(link);
  expect(again).toBe(String(port));
});

it('of two desks that start at once, one is the desk and the other finds it', async () => {
  const port = await freePort();
  const run = person(port);
  const both = [run('desk'), run('desk')];
  const ports = await Promise.all(both.map(async ({ says }) => (await says(link))[2]));
  const ended = await Promise.race(both.map(({ ended: end }, at) => end.then(() => at)));
  expect(ports[ended]).toBe(ports[1 - ended]);
  expect(both[1 - ended]!.child.exitCode).toBeNull();
});

it('if another program has its port, the desk says so and is nowhere else', async () => {
  const run = person();
  const program = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void program.close());
  await once(program, 'listening');
  const { port } = program.address() as AddressInfo;
  const desk = run('desk', '--port', String(port));
  expect(await desk.ended).toBe(3);
  expect(desk.said()).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(desk.said()).not.toMatch(link);
});

it('without a desk, the inbox says that nothing waits', async () => {
  const inbox = person()('inbox');
  expect(await inbox.ended).toBe(0);
  expect(inbox.said()).toContain('No desk is running');
});
