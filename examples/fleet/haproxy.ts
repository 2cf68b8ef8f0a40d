/** The balancer where haproxy is installed: plain round robin, which tries again where that changes nothing. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Balancer } from './balancer.ts';

/** An account's PATH may lack the folder that Debian installs it in. */
export const haproxy = process.env['MIDCALL_HAPROXY'] ?? 'haproxy';

export const hasHaproxy = (): boolean => spawnSync(haproxy, ['-v'], { stdio: 'ignore' }).status === 0;

/** @param port - a free one */
export async function startHaproxy(port: number, replicas: readonly number[], folder: string): Promise<Balancer> {
  const path = join(folder, 'haproxy.cfg');
  writeFileSync(path, configuration(port, replicas));
  const child = spawn(haproxy, ['-db', '-q', '-f', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error('haproxy did not start.');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return { port, stop: () => void child.kill('SIGTERM') };
}

/**
 * A replica that restarts is waited for, on a connection of its own for each request. What a replica got before it died is sent
 * again where the server knows it by its id: a request of a session, and a retry by its state. A call of 2026-07-28 that begins
 * stands alone; it is only sent where nothing was done with it.
 */
const configuration = (port: number, replicas: readonly number[]): string => `
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout queue 30s
  option http-server-close
  http-reuse never
  retries 40
frontend mcp
  bind 127.0.0.1:${port}
  option http-buffer-request
  use_backend once if { req.hdr(mcp-protocol-version) 2026-07-28 } !{ req.body -m sub "requestState" }
  default_backend again
backend once
  balance roundrobin
  retry-on conn-failure 503
${servers(replicas)}
backend again
  balance roundrobin
  retry-on conn-failure empty-response 503
${servers(replicas)}
`;

const servers = (replicas: readonly number[]): string =>
  replicas.map((port, at) => `  server replica${at} 127.0.0.1:${port}`).join('\n');

const listens = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
