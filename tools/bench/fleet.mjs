/**
 * Questions that wait in a fleet of two replicas, as real processes over one Redis: bytes of Redis and of each replica's heap
 * that one of them holds, on 2025-11-25 (a stream each), on 2026-07-28 (nothing is held) and as tasks, at `few` and at `many`,
 * with the time that one look at a task takes at both. Then the time from an answer posted at one replica to the handler
 * that goes on with it, at another (2025-11-25) or at whichever takes the job (tasks), beside a bare publish of Redis.
 * Target: 1.5 KB of Redis for each; a heap that does not grow on 2026-07-28 and with tasks; p99 of 50 ms.
 * Run after `npm run build`: node tools/bench/fleet.mjs [few] [many] [answers]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { redisServer } from './redis-server.mjs';

const few = Number(process.argv[2] ?? 1_000);
const many = Number(process.argv[3] ?? 10_000);
const answers = Number(process.argv[4] ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const redis = await redisServer(folder);
if (!redis) {
  console.log('no redis-server on this machine');
  process.exit(0);
}
const { client } = redis;
// As docs/deploy.md advises: a stream takes 4 KB at once otherwise, and a hash with a long value twice its length.
await client.config('SET', 'stream-node-max-bytes', '256');
await client.config('SET', 'hash-max-listpack-value', '1024');
const MOST_STREAMS = 5_000;
const accept = 'application/json, text/event-stream';
const modern = '2026-07-28';
const older = '2025-11-25';

async function startReplica() {
  const script = fileURLToPath(new URL('./fleet-replica.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, join(folder, 'redis')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  const url = `http://127.0.0.1:${await next()}/mcp`;
  const heap = async () => {
    child.stdin.write('heap\n');
    return Number(await next());
  };
  return { url, heap, stop: () => child.kill() };
}
const replicas = [await startReplica(), await startReplica()];

let id = 0;
const post = (at, message, headers) =>
  fetch(replicas[at % 2].url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Where a connection breaks, or a replica refuses, on a busy machine, it is opened once more. */
const again = async work => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
};

/** One request of 2026-07-28, at a replica. A person has 200 tasks at most. */
async function send(at, method, params, person = 'one') {
  id += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const headers = {
    authorization: person,
    'mcp-protocol-version': modern,
    'mcp-method': method,
    'mcp-name': params.name ?? params.taskId,
  };
  const text = await (await post(at, { id, method, params: { ...params, _meta } }, headers)).text();
  const { result, error } = JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: {') + 6));
  if (error) throw new Error(error.message);
  return result;
}

/** A session of 2025-11-25; requests of it go to any replica. */
async function session() {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: older, capabilities: { elicitation: {} }, clientInfo };
  const opened = await post(0, { id: 'open', method: 'initialize', params }, {});
  const headers = { 'mcp-protocol-version': older, 'mcp-session-id': opened.headers.get('mcp-session-id') };
  return (at, message) => post(at, message, headers);
}

/** Reads a stream of events up to the message that is looked for. */
function reader(response) {
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async found => {
    for (;;) {
      const match = found.exec(text);
      if (match) {
        text = text.slice(match.index + match[0].length);
        return match;
      }
      const { value, done } = await chunks.read();
      if (done) throw new Error(`The stream ended: ${text}`);
      text += value;
    }
  };
}

async function untilStatus(at, taskId, status, person) {
  for (;;) {
    const task = await send(at, 'tasks/get', { taskId }, person);
    if (task.status === status) return task;
    if (!['working', 'input_required'].includes(task.status)) throw new Error(JSON.stringify(task));
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

const kinds = {
  async [older]() {
    let own = await session();
    let calls = 0;
    return async at => {
      if (++calls % 500 === 0) own = await session();
      id += 1;
      const response = await own(at, { id, method: 'tools/call', params: { name: 'ask', arguments: {} } });
      await reader(response)(/elicitation\/create/);
      kept.push(response);
    };
  },
  async [modern]() {
    return async at => void kept.push((await send(at, 'tools/call', { name: 'ask', arguments: {} })).requestState);
  },
  async tasks() {
    return async at => {
      const person = `person-${Math.floor(at / 150)}`;
      const { taskId } = await send(at, 'tools/call', { name: 'task', arguments: {} }, person);
      await untilStatus(at, taskId, 'input_required', person);
      tasks.push([{ taskId }, person]);
    };
  },
};
const kept = [];
const tasks = [];
const usedMemory = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1]);
const heaps = () => Promise.all(replicas.map(({ heap }) => heap()));
const percentile = (times, part) => times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))];

async function lookMs() {
  const times = [];
  for (let each = 0; each < 200; each += 1) {
    const begun = performance.now();
    await send(each, 'tasks/get', ...tasks[Math.floor((each / 200) * tasks.length)]);
    times.push(performance.now() - begun);
  }
  return percentile(times, 0.5);
}

console.log(`two replicas, node ${process.version}; heap is of each replica, after garbage collection`);
console.log('waiting       as           Redis bytes each   heap bytes each   tasks/get, ms (p50)');
for (const [kind, begin] of Object.entries(kinds)) {
  const open = await begin();
  for (let each = 0; each < 20; each += 1) await open(each);
  let opened = 0;
  const memory = await usedMemory();
  const heap = await heaps();
  // Each of 2025-11-25 is a connection, of which a process has no more than its limit of descriptors.
  const most = kind === older ? Math.min(many, MOST_STREAMS) : many;
  for (const count of [few, most]) {
    for (; opened < count; opened += 20) {
      await Promise.all(
        Array.from({ length: Math.min(20, count - opened) }, (_, each) => again(() => open(opened + each))),
      );
    }
    const bytes = ((await usedMemory()) - memory) / count;
    const now = await heaps();
    const grown = now.map((each, at) => (each - heap[at]) / count);
    const look = kind === 'tasks' ? (await lookMs()).toFixed(2) : '';
    console.log(
      `${String(count).padEnd(13)} ${kind.padEnd(12)} ${String(Math.round(bytes)).padStart(16)} ${grown
        .map(each => Math.round(each))
        .join(' and ')
        .padStart(17)} ${look.padStart(21)}`,
    );
  }
}

const sinceMs = (from, to) => Number(to - from) / 1e6;
const own = await session();
const latencies = { [older]: [], tasks: [], 'bare publish': [] };
for (let each = 0; each < answers; each += 1) {
  id += 1;
  const read = reader(await own(0, { id, method: 'tools/call', params: { name: 'ask', arguments: {} } }));
  const [, question] = await read(/data: (\{.*elicitation\/create.*\})/);
  const posted = process.hrtime.bigint();
  const answered = own(1, { id: JSON.parse(question).id, result: { action: 'accept', content: { value: true } } });
  const [, at] = await read(/accept (\d+)/);
  await answered;
  latencies[older].push(sinceMs(posted, BigInt(at)));
}
for (let each = 0; each < answers; each += 1) {
  const { taskId } = await send(0, 'tools/call', { name: 'task', arguments: {} });
  const { inputRequests } = await untilStatus(0, taskId, 'input_required');
  const inputResponses = { [Object.keys(inputRequests)[0]]: { action: 'accept', content: { value: true } } };
  const posted = process.hrtime.bigint();
  await send(1, 'tasks/update', { taskId, inputResponses });
  const { result } = await untilStatus(1, taskId, 'completed');
  latencies.tasks.push(sinceMs(posted, BigInt(/accept (\d+)/.exec(result.content[0].text)[1])));
}
const subscriber = new Redis({ path: join(folder, 'redis') });
await subscriber.subscribe('bench');
for (let each = 0; each < answers; each += 1) {
  const heard = new Promise(resolve => subscriber.once('message', () => resolve(process.hrtime.bigint())));
  const posted = process.hrtime.bigint();
  void client.publish('bench', '');
  latencies['bare publish'].push(sinceMs(posted, await heard));
}
console.log(`\n${answers} answers, posted to handler resumed, ms   p50       p99`);
for (const [name, times] of Object.entries(latencies)) {
  console.log(
    `${name.padEnd(38)} ${percentile(times, 0.5).toFixed(2).padStart(9)} ${percentile(times, 0.99).toFixed(2).padStart(9)}`,
  );
}

subscriber.disconnect();
for (const { stop } of replicas) stop();
await redis.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
