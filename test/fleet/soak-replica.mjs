/**
 * A replica that is killed: `soak-replica.mjs <redis socket> <ledger> <port> <release> <presence ms>`. A person is whoever the
 * token says. What `charge` does is written to the ledger before anything else knows of it, and not made safe to repeat.
 */
import { appendFileSync } from 'node:fs';
import { midcall } from '@midcall/server';
import { redisFleet, redisJobs, redisWake } from '@midcall/server/fleet';
import { serveHttp } from '@midcall/server/node';
import { redisStore } from '@midcall/server/stores/redis';
import { McpServer } from '@modelcontextprotocol/server';
import { Redis } from 'ioredis';
import { z } from 'zod';

const [socket = '', ledger = '', port = '0', release = '1', presenceMs = '2000'] = process.argv.slice(2);
const said = text => ({ content: [{ type: 'text', text }] });

const connection = new Redis({ path: socket, retryStrategy: () => 100, maxRetriesPerRequest: null });
connection.on('error', () => {});
const mid = midcall({
  store: redisStore({ send: ([command = '', ...args]) => connection.call(command, ...args) }),
  jobs: await redisJobs({ connection: { path: socket } }),
  wake: await redisWake({ connection }),
  principal: ({ http }) => ({ issuer: 'soak', subject: http?.authInfo?.clientId ?? 'nobody' }),
  suspectBelowMs: 0,
  warn: () => {},
});
const inputSchema = z.object({ order: z.string() });
// Ten thousand questions are answered within the time that two cores need for them.
const timeoutMs = 6 * 3_600_000;

const charge = async ({ order }, call) => {
  const answer = await call.elicit({ message: `Charge ${order}?`, form: { say: String }, timeoutMs });
  if (answer.action !== 'accept') return said(`Not charged: ${answer.action}.`);
  await call.step('charge', () => appendFileSync(ledger, `${order} ${call.principal.subject}\n`));
  return said(`Charged ${order}: ${answer.content.say}`);
};
const survey = async ({ order }, call) => {
  const given = [];
  for (const part of ['first', 'second']) {
    const answer = await call.elicit({ message: `The ${part} of ${order}?`, form: { say: String }, timeoutMs });
    given.push(answer.action === 'accept' ? answer.content.say : answer.action);
  }
  return said(`Surveyed ${order}: ${given.join(' ')}`);
};

const factory = () => {
  const server = new McpServer({ name: 'soak', version: release });
  mid.tool(server, 'charge', { inputSchema, task: 'never' }, charge);
  mid.tool(server, 'survey', { inputSchema, task: 'never' }, survey);
  mid.tool(server, 'charge-task', { inputSchema, task: 'always' }, charge);
  // Another version of this server has a tool more.
  if (release !== '1') mid.tool(server, 'release', { task: 'never' }, async () => said(release));
  return server;
};
const serving = await serveHttp(factory, {
  port: Number(port),
  authenticate: async request => {
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    return { token, clientId: token, scopes: [] };
  },
  sessions: { max: 1_000_000, maxCalls: 1_000_000 },
  fleet: await redisFleet({ connection, presenceMs: Number(presenceMs), retryMs: 200 }),
  onError: error => void process.stderr.write(`replica ${process.pid}: ${error.message}\n`),
});

process.once('SIGTERM', async () => {
  await serving.stop();
  connection.disconnect();
  process.exit(0);
});
// Nothing is left behind where the process that started this one is killed.
process.stdin.once('end', () => process.exit(0)).resume();
process.stdout.write(`${serving.url.port}\n`);
