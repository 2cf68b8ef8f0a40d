/** The code of docs/deploy.md: one of several replicas that serve sessions of 2025-11-25 together. */
// #region fleet
import { midcall } from '@midcall/server';
import { redisFleet, redisJobs, redisWake } from '@midcall/server/fleet';
import { serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
// #endregion
import { McpServer } from '@modelcontextprotocol/server';
import { Redis } from 'ioredis';

export async function startFleetReplica(address: string, key: string) {
  // #region fleet
  const redis = new Redis(address);
  const mid = midcall({
    key,
    store: redisStore({ send: ([command = '', ...args]) => redis.call(command, ...args) }),
    jobs: await redisJobs({ connection: address }), // of tasks; needs bullmq
    wake: await redisWake({ connection: address }), // for what waits at another replica
  });
  const serving = await serveHttp(() => parcelServer(mid), {
    fleet: await redisFleet({ connection: address, key }),
  });
  // #endregion

  // #region stop
  const stop = async () => {
    await serving.stop(); // its calls move to other replicas, or end
    redis.disconnect();
  };
  process.once('SIGTERM', stop);
  // #endregion
  return { serving, stop };
}

function parcelServer(mid: ReturnType<typeof midcall>) {
  const server = new McpServer({ name: 'parcels', version: '1.0.0' });
  mid.tool(server, 'parcel_send', { annotations: { destructiveHint: true } }, async (_args, call) => {
    const answer = await call.elicit({ message: 'Send the parcel?', form: Boolean });
    const sent = answer.action === 'accept' && answer.content;
    return { content: [{ type: 'text', text: sent ? 'Sent.' : 'Kept.' }] };
  });
  return server;
}
