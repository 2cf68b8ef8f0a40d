/** A Redis of a bench's own, on a socket in its folder; undefined where this machine has none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** @param {string} folder */
export async function redisServer(folder) {
  const program = [process.env.MIDCALL_REDIS_SERVER, '/usr/bin/redis-server', '/usr/local/bin/redis-server'];
  const found = program.find(path => path && existsSync(path));
  if (!found) return undefined;
  const socket = join(folder, 'redis');
  const child = spawn(found, ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder]);
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (/ready to accept/i.test(said)) break;
  }
  const client = new Redis({ path: socket });
  const stop = async () => {
    client.disconnect();
    child.kill();
    await once(child, 'exit');
  };
  return { client, stop };
}
