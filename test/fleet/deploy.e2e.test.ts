/** Runs the code of docs/deploy.md. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { startFleetReplica } from '../../examples/docs/fleet.ts';
import { haproxy, hasHaproxy } from '../../examples/fleet/haproxy.ts';
import { freePort } from '../fixtures/free-port.ts';
import { eventually } from '../fixtures/grown.ts';
import { sendRaw } from '../server/http/raw-http.ts';
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
    const healthOfOld = async () => (await sendRaw(Number(a.serving.url.port), 'GET /healthz HTTP/1.0\r\n\r\n')).status;
    // A replica is not ready where its Redis is slow to answer.
    await eventually(async () => (await health()) === 200 && (await healthOfOld()) === 200);
    await a.serving.endpoint.stop();
    expect([await health(), await healthOfOld()]).toEqual([503, 503]);
    expect(await a.serving.endpoint.health()).toEqual({ ok: false, status: 'draining' });
    await Promise.all([a.stop(), b.stop()]);
    await redis.remove();
  },
);

it.skipIf(!redisServer || !hasHaproxy())(
  'haproxy, with the settings of the Compose file, sends requests to replicas that are ready, and none to one that stops',
  async () => {
    const redis = await startRedis();
    const replicas = await Promise.all([
      startFleetReplica(redis.socket, fleetKey),
      startFleetReplica(redis.socket, fleetKey),
    ]);
    for (const each of replicas) process.removeListener('SIGTERM', each.stop);
    const [port, reportPort] = [await freePort(), await freePort()];
    const settings = readFileSync(new URL('../../examples/fleet/deploy/haproxy.cfg', import.meta.url), 'utf8');
    const servers = replicas.map(
      ({ serving }, at) => `server replica${at} ${serving.url.host} check inter 1s fall 1 rise 1`,
    );
    // Without a timeout of its own, a check is given up after its interval, and a ready replica that was slow once is left out.
    const backend = ['timeout check 1h', ...servers];
    const here = settings
      .replace(/^resolvers docker\n.*\n/mu, '')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(/^ {2}server-template .*$/mu, backend.map(each => `  ${each}`).join('\n'))
      .concat(`\nfrontend report\n  bind 127.0.0.1:${reportPort}\n  stats enable\n  stats uri /\n`);
    const folder = mkdtempSync(join(tmpdir(), 'midcall-haproxy-'));
    writeFileSync(join(folder, 'haproxy.cfg'), here);
    const balancer = spawn(haproxy, ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], { stdio: 'inherit' });
    onTestFinished(() => {
      balancer.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    });
    const checks = async () => {
      const report = await fetch(`http://127.0.0.1:${reportPort}/;csv`).then(
        response => response.text(),
        () => '',
      );
      return report.match(/\bL7(?:OK|STS)\b/gu) ?? [];
    };
    const until = async (wanted: readonly string[]) => {
      while (`${await checks()}` !== `${wanted}`) await new Promise(resolve => setTimeout(resolve, 20));
    };
    // 404 comes from a replica, 503 from a balancer that knows of none.
    const status = async () => (await fetch(`http://127.0.0.1:${port}/nothing`)).status;
    await until(['L7OK', 'L7OK']);
    expect(await status()).toBe(404);
    await replicas[0]!.serving.endpoint.stop();
    await until(['L7STS', 'L7OK']);
    expect(await status()).toBe(404);
    await replicas[1]!.serving.endpoint.stop();
    await until(['L7STS', 'L7STS']);
    expect(await status()).toBe(503);
    await Promise.all(replicas.map(({ stop }) => stop()));
    await redis.remove();
  },
);
