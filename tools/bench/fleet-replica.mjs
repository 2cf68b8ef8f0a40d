/**
 * A replica for tools/bench/fleet.mjs, in a process of its own: `fleet-replica.mjs <redis socket>`. Writes its port; for each line it
 * reads it collects garbage and writes the bytes of its heap.
 */
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { midcall } from '@midcall/server';
import { redisFleet, redisJobs, redisWake } from '@midcall/server/fleet';
import { serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { McpServer } from '@modelcontextprotocol/server';
import { Redis } from 'ioredis';

setFlagsFromString('--expose-gc');
const gc = globalThis.gc ?? runInNewContext('gc');
const [path = ''] = process.argv.slice(2);
const key = Buffer.alloc(32, 7);
const connection = new Redis({ path, maxRetriesPerRequest: null });
const mid = midcall({
  key,
  store: redisStore({ send: ([command = '', ...args]) => connection.call(command, ...args), timeoutMs: 120_000 }),
  jobs: await redisJobs({ connection: { path }, timeoutMs: 120_000 }),
  wake: await redisWake({ connection }),
  principal: ({ http }) => ({ issuer: 'bench', subject: http?.authInfo?.clientId ?? 'nobody' }),
  suspectBelowMs: 0,
  warn: () => {},
});
const ask = async (_, call) => {
  const answer = await call.elicit({ message: 'Go on?', form: Boolean });
  // The monotonic clock of the machine, which all its processes share.
  return `${answer.action} ${process.hrtime.bigint()}`;
};
const most = 10_000_000;
const serving = await serveHttp(
  () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    mid.tool(server, 'ask', { task: 'never' }, ask);
    mid.tool(server, 'task', { task: 'always' }, ask);
    return server;
  },
  {
    authenticate: async request => {
      const clientId = request.headers.get('authorization') ?? '';
      return { token: clientId, clientId, scopes: [] };
    },
    sessions: { max: most, maxPerOwner: most, maxCalls: most },
    // On a busy machine, everything takes its time.
    fleet: await redisFleet({ connection, key, timeoutMs: 120_000, presenceMs: 120_000 }),
  },
);
createInterface({ input: process.stdin })
  .on('line', async () => {
    // What is done with is collected in its own time.
    for (let each = 0; each < 5; each += 1) {
      await new Promise(resolve => setTimeout(resolve, 100));
      gc();
    }
    process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
  })
  .on('close', () => process.exit(0));
process.stdout.write(`${serving.url.port}\n`);
