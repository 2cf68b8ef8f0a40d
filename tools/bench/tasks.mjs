/**
 * One question as a task: created, answered and finished, per second and in CPU, beside the same as rounds of one call, and beside
 * a bare server of the SDK that keeps its tasks in a map and asks nothing of any store. Requests go through an endpoint in
 * this process, so that no socket is measured. Then the heap that one more waiting task holds, where half as many wait already, so
 * that what code and caches take is not counted (target: below 4 KB in memory, none over SQLite), and the time from a request with an answer to the handler that goes on with it (p50, p99).
 * Run after `npm run build`: node --expose-gc tools/bench/tasks.mjs [tasks per round] [rounds] [waiting tasks]
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

setFlagsFromString('--expose-gc');
const gc = globalThis.gc ?? runInNewContext('gc');
const count = Number(process.argv[2] ?? 100);
const rounds = Number(process.argv[3] ?? 5);
const waiting = Number(process.argv[4] ?? 2_000);
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const key = Buffer.alloc(32, 7);
const extension = 'io.modelcontextprotocol/tasks';
const yes = { action: 'accept', content: { value: true } };
const inputSchema = z.object({ n: z.number() });
const said = text => ({ content: [{ type: 'text', text }] });

/** When the handler of a call went on, by the number of the call. */
const resumedAt = new Map();

/** @param makeStore - absent for the memory of the process */
async function ours(makeStore) {
  const store = await makeStore?.();
  const mid = midcall({
    key,
    ...(store && { store }),
    suspectBelowMs: 0,
    principal: ctx => ({ issuer: 'bench', subject: ctx.http?.authInfo?.clientId ?? 'nobody' }),
    warn: () => {},
  });
  const ask = async ({ n }, call) => {
    const answer = await call.elicit({ message: 'Go on?', form: Boolean });
    resumedAt.set(n, performance.now());
    return said(answer.action);
  };
  const endpoint = mcpEndpoint(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    mid.tool(server, 'task', { inputSchema, task: 'always' }, ask);
    mid.tool(server, 'rounds', { inputSchema, task: 'never' }, ask);
    return server;
  });
  return { endpoint, close: () => endpoint.stop() };
}

/** A server of the SDK alone: a task is an entry of a map, and what follows its answer a function. */
async function bare() {
  const tasks = new Map();
  const endpoint = mcpEndpoint(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.server.registerCapabilities({ tools: {}, extensions: { [extension]: {} } });
    const loose = { params: z.looseObject({}) };
    // The SDK takes no other result than those that it knows, so the handler stands where the SDK's own would.
    server.server.setRequestHandler('tools/list', () => ({ tools: [] }));
    server.server.setRequestHandler('tools/call', () => said(''));
    server.server._requestHandlers.set('tools/call', () => {
      const at = new Date().toISOString();
      const task = { taskId: randomUUID(), status: 'input_required', createdAt: at, lastUpdatedAt: at, ttlMs: 60_000 };
      const requestedSchema = { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] };
      const params = { mode: 'form', message: 'Go on?', requestedSchema };
      tasks.set(task.taskId, { ...task, inputRequests: { elicit: { method: 'elicitation/create', params } } });
      return { resultType: 'task', ...task };
    });
    server.server.setRequestHandler('tasks/get', loose, ({ taskId }) => tasks.get(taskId));
    server.server.setRequestHandler('tasks/update', loose, ({ taskId }, ctx) => {
      const { inputRequests: _, ...task } = tasks.get(taskId);
      const answer = ctx.mcpReq.inputResponses.elicit;
      tasks.set(taskId, { ...task, status: 'completed', result: said(answer.action) });
      return {};
    });
    return server;
  });
  return { endpoint, close: () => endpoint.stop({ within: 0 }) };
}

let id = 0;
async function send({ endpoint }, method, params, clientId = 'one') {
  id += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [extension]: {} } },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': params.name ?? params.taskId,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  const response = await endpoint.fetch(request, { authInfo: { token: clientId, clientId, scopes: [] } });
  const text = await response.text();
  const { result, error } = JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: {') + 6));
  if (error) throw new Error(error.message);
  return result;
}

async function until(side, taskId, status, clientId) {
  for (;;) {
    const task = await send(side, 'tasks/get', { taskId }, clientId);
    if (task.status === status) return task;
    if (!['working', 'input_required'].includes(task.status)) throw new Error(JSON.stringify(task));
    await new Promise(resolve => setImmediate(resolve));
  }
}

let n = 0;
async function asTask(side) {
  n += 1;
  const { taskId } = await send(side, 'tools/call', { name: 'task', arguments: { n } });
  const { inputRequests } = await until(side, taskId, 'input_required');
  await send(side, 'tasks/update', { taskId, inputResponses: { [Object.keys(inputRequests)[0]]: yes } });
  await until(side, taskId, 'completed');
}

async function asRounds(side) {
  n += 1;
  const call = { name: 'rounds', arguments: { n } };
  const { inputRequests, requestState } = await send(side, 'tools/call', call);
  const inputResponses = { [Object.keys(inputRequests)[0]]: yes };
  const result = await send(side, 'tools/call', { ...call, inputResponses, requestState });
  if (result.content[0].text !== 'accept') throw new Error(JSON.stringify(result));
}

const stores = {
  memory: undefined,
  'sqlite full': () => sqliteStore(join(folder, `${randomUUID()}.db`)),
  'sqlite normal': () => sqliteStore(join(folder, `${randomUUID()}.db`), { sync: 'normal' }),
};
const sides = [['bare map', 'task', await bare(), asTask]];
for (const [name, makeStore] of Object.entries(stores)) {
  const side = await ours(makeStore);
  sides.push([name, 'task', side, asTask], [name, 'rounds', side, asRounds]);
}

console.log(`${count} questions x ${rounds} rounds, one after the other; node ${process.version}`);
console.log('store           as          per s   CPU ms each');
const taken = sides.map(() => ({ ms: 0, cpu: 0 }));
for (let round = -1; round < rounds; round += 1) {
  for (const [index, [, , side, once]] of sides.entries()) {
    const cpu = process.cpuUsage();
    const begun = performance.now();
    for (let each = 0; each < count; each += 1) await once(side);
    const { user, system } = process.cpuUsage(cpu);
    if (round < 0) continue;
    taken[index].ms += performance.now() - begun;
    taken[index].cpu += (user + system) / 1_000;
  }
}
for (const [index, [name, as]] of sides.entries()) {
  const { ms, cpu } = taken[index];
  const all = count * rounds;
  console.log(
    `${name.padEnd(15)} ${as.padEnd(8)} ${String(Math.round(all / (ms / 1_000))).padStart(8)} ${(cpu / all).toFixed(2).padStart(13)}`,
  );
}

const waitedBefore = Math.round(waiting / 2);
console.log(`\nstore           heap bytes of each of ${waiting} waiting tasks, beside ${waitedBefore} others`);
for (const [name, makeStore] of Object.entries(stores)) {
  const side = await ours(makeStore);
  await asTask(side);
  const made = [];
  const begin = async () => {
    n += 1;
    const clientId = `client-${Math.floor(made.length / 150)}`;
    const { taskId } = await send(side, 'tools/call', { name: 'task', arguments: { n } }, clientId);
    made.push(taskId);
    await until(side, taskId, 'input_required', clientId);
  };
  // What is done with is collected in its own time.
  const heap = async () => {
    for (let each = 0; each < 5; each += 1) {
      await new Promise(resolve => setTimeout(resolve, 50));
      gc();
    }
    return process.memoryUsage().heapUsed;
  };
  for (let each = 0; each < waitedBefore; each += 1) await begin();
  const before = await heap();
  for (let each = 0; each < waiting; each += 1) await begin();
  const bytes = Math.round(((await heap()) - before) / waiting);
  console.log(`${name.padEnd(15)} ${String(bytes).padStart(10)}`);
  await side.close();
}

console.log('\nstore           answer to handler resumed, ms: p50       p99');
for (const [name, , side, once] of sides) {
  if (name === 'bare map' || once === asRounds) continue;
  const times = [];
  for (let each = 0; each < Math.max(200, count); each += 1) {
    n += 1;
    const own = n;
    const { taskId } = await send(side, 'tools/call', { name: 'task', arguments: { n } });
    const { inputRequests } = await until(side, taskId, 'input_required');
    const begun = performance.now();
    await send(side, 'tasks/update', { taskId, inputResponses: { [Object.keys(inputRequests)[0]]: yes } });
    await until(side, taskId, 'completed');
    times.push(resumedAt.get(own) - begun);
  }
  times.sort((a, b) => a - b);
  const at = part => times[Math.floor(part * (times.length - 1))].toFixed(2);
  console.log(`${name.padEnd(15)} ${at(0.5).padStart(34)} ${at(0.99).padStart(9)}`);
}
for (const [, , side] of sides) await side.close();
rmSync(folder, { recursive: true, force: true });
