/** Servers that were started through a package runner, as by `npx`, and ignore the end of their input. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Connection, commandTarget, Inbox, StartedServer } from '@midcall/host';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { few } from '../../fixtures/soak.ts';

const server = (ignores: string): string => `
  ${ignores}
  setInterval(() => {}, 1e6);
  process.stderr.write('pid ' + process.pid + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method } = JSON.parse(line);
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'stays', version: '1' } };
    if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

/** A runner that starts the server as its child, and waits for it. */
const runner = (ignores: string): string =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(server(ignores))}], { stdio: 'inherit' })
     .on('exit', code => process.exit(code ?? 1));`;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ended = (pid: number): Promise<void> => eventually(() => !isRunning(pid));

const target = (ignores: string) =>
  commandTarget([process.execPath, '-e', runner(ignores)]) as ConstructorParameters<typeof StartedServer>[0];

async function connected(ignores: string, isEarly: boolean) {
  const started = isEarly ? new StartedServer(target(ignores)) : undefined;
  const connection = new Connection(
    { id: 'stays', target: target(ignores) },
    { client: { name: 'test', version: '1' }, inbox: new Inbox(), era: '2025-11-25', ...(started && { started }) },
  );
  await connection.start();
  // It says so before it answers, but on another pipe.
  await eventually(() => connection.stderr.length > 0);
  const pid = Number(/^pid (\d+)$/u.exec(connection.stderr[0]!)![1]);
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  return { connection, pid };
}

it.runIf(process.platform !== 'win32').each([
  ['that was started in advance', true, '', false],
  ['that was started in advance, at once', true, '', true],
  ['that its connection started', false, '', false],
  ['that ignores SIGTERM too', false, `process.on('SIGTERM', () => {});`, true],
] as const)('a server of a package runner %s does not outlive its connection', async (_, isEarly, ignores, atOnce) => {
  const { connection, pid } = await connected(ignores, isEarly);
  expect(isRunning(pid)).toBe(true);
  await connection.stop({ atOnce });
  await ended(pid);
});

it.runIf(process.platform !== 'win32').each(few(['SIGTERM', 'SIGINT', 'exit'], 'SIGINT', 'exit'))(
  'a server of a package runner does not outlive its host, which ends by %s without stopping it',
  async how => {
    const main = `
      import { spawn } from 'node:child_process';
      import { endWithUs, spawnOptions } from './packages/host/src/connection/terminate.ts';
      const [command, ...args] = ${JSON.stringify([process.execPath, '-e', runner('')])};
      const server = spawn(command, args, spawnOptions({}));
      endWithUs(server.pid);
      server.stderr.pipe(process.stdout);
      process.stdin.once('data', () => process.exit(0));`;
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const loader = ['--import', './tools/load-typescript.mjs'];
    const host = spawn(process.execPath, [...loader, '--input-type=module', '-e', main], { cwd: root });
    const errors: string[] = [];
    host.stderr.on('data', chunk => void errors.push(String(chunk)));
    const [said] = (await Promise.race([once(host.stdout, 'data'), once(host, 'exit')])) as [unknown];
    const pid = Number(/^pid (\d+)$/mu.exec(String(said))?.[1]);
    expect(errors.join('')).toBe('');
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    });
    if (how === 'exit') host.stdin.write('now\n');
    else host.kill(how);
    await once(host, 'exit');
    await ended(pid);
  },
);
