/** One replica, as a process: `replica.ts <redis socket> <ledger> <port>`. Writes its address once it takes requests. */
import { redisFleet, redisJobs, redisWake } from '@midcall/server/fleet';
import { serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { Redis } from 'ioredis';
import { ledgerFile } from './ledger.ts';
import { fleetServer } from './server.ts';

const [socket = '', ledger = '', port = '0'] = process.argv.slice(2);

const connection = new Redis({ path: socket, retryStrategy: () => 100, maxRetriesPerRequest: null });
// While Redis is away each request is refused, with a reason.
connection.on('error', () => {});
const store = redisStore({ send: ([command = '', ...args]) => connection.call(command, ...args) as Promise<unknown> });
const jobs = await redisJobs({ connection: { path: socket } });
const wake = await redisWake({ connection: connection as never });
const { factory } = fleetServer({ store, jobs, wake, ledger: ledgerFile(ledger) });
const serving = await serveHttp(factory, {
  port: Number(port),
  sessions: { max: 100_000 },
  fleet: await redisFleet({ connection: connection as never, presenceMs: 3_000 }),
  onError: error => void process.stderr.write(`replica ${process.pid}: ${error.message}\n`),
});

// #region stop
process.once('SIGTERM', async () => {
  await serving.stop();
  connection.disconnect();
  process.exit(0);
});
// #endregion

// Nothing is left behind where the process that started this one is killed.
process.stdin.once('end', () => process.exit(0)).resume();

process.stdout.write(`${serving.url.port}\n`);
