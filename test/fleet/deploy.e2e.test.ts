/** Runs the code of docs/deploy.md. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { startFleetReplica } from '../../examples/docs/fleet.ts';
import { redisServer, startRedis } from '../stores/redis-server.ts';
import { fleetKey } from './replicas.ts';

it.skipIf(!redisServer)(
  'the replicas of docs/deploy.md answer at one what the other opened, and /healthz fails once one drains',
  async () => {
    const redis = await startRedis();
    const [a, b] = await Promise.all([
      startFleetReplica(redis.socket, fleetKey),
      startFleetReplica(redis.socket, fleetKey),
    ]);
    process.removeListener('SIGTERM', a.stop).removeListener('SIGTERM', b.stop);
    let n = 0;
    const inTurn: typeof fetch = (_, init) => fetch([a, b][n++ % 2]!.serving.url, init);
    const client = new Client(
      { name: 'host', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } },
    );
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { value: true } }));
    await client.connect(new StreamableHTTPClientTransport(new URL('http://parcels.invalid/mcp'), { fetch: inTurn }));
    const result = await client.callTool({ name: 'parcel_send' });
    expect(result.content).toEqual([{ type: 'text', text: expect.stringMatching(/Sent|Kept/) }]);
    await client.close();

    const health = async () => (await fetch(new URL('/healthz', a.serving.url))).status;
    expect(await health()).toBe(200);
    await a.serving.endpoint.stop();
    expect(await health()).toBe(503);
    expect(await a.serving.endpoint.health()).toEqual({ ok: false, status: 'draining' });
    await Promise.all([a.stop(), b.stop()]);
    await redis.remove();
  },
);
