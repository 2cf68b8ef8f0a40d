/**
 * One form question per tool call: calls per second and CPU per call, side by side with the same tool written on the SDKs.
 * Server and client are two processes (stdio, HTTP) or one (memory). Sides take turns within each round; medians, and the
 * ratio to midcall's peer of the same era, with the range and the CPU of both processes beside them. Over HTTP each side is served
 * by `serveHttp`: a server on the SDK alone would have the SDK's own handler, which checks no host and no origin, and holds no
 * sessions. There the client is that of tools/bench/bare-caller.mjs: the SDK's own is busier than any of these servers, and with it all
 * sides are equally fast.
 * Run after `npm run build`: node tools/bench/asks.mjs [rounds] [calls per round] [peers, for the sides that figures are compared with only]
 *
 * Midcall has a key and a store, as operators run it, so each state is sealed and each retry claimed. Its peer on 2026-07-28 is the
 * SDK with signed state, and on 2025-11-25 the SDK's elicitInput; the target is 0.9 of their rate. tools/bench/RESULTS.md says what is
 * reached. Where the time of a 2026-07-28 call over stdio goes in the server is drawn by tools/bench/flame.mjs. Over HTTP a 2026-07-28
 * call has a server of its own, which the factory makes: registering its tools costs about 50 µs of each of the two requests.
 * fastmcp takes part where it is installed: npm install --prefix tools/bench
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { sides } from './ask-sides.mjs';
import { bareCaller } from './bare-caller.mjs';
import { cpuOf } from './cpu-of.mjs';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 7);
const calls = Number(process.argv[3] ?? 600);
/** By revision, then over HTTP besides: what the figures are compared with. */
const peers = { '2026-07-28': ['SDK v2, signed state'], '2025-11-25': ['SDK v2, elicitInput'] };
const httpPeers = { '2025-11-25': ['SDK v2, on the GET stream'] };
const peersOf = (era, carrier) => [...peers[era], ...((carrier === 'http' && httpPeers[era]) || [])];
const peersOnly = process.argv[4] === 'peers';
/** Calls before the first measurement: a server that has run for a while has its code compiled. */
const warmUp = peersOnly ? 1_000 : 3_000;
const serverFile = fileURLToPath(new URL('ask-server.mjs', import.meta.url));

/** Serves one side. @returns its process, and callers: functions that make one call at a time */
async function connect(name, era, carrier) {
  if (carrier === 'http') return connectHttp(name, era);
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  const call = async () => {
    const result = await client.callTool({ name: 'delete', arguments: { title: 'TPS report' } });
    if (result.content[0]?.text !== 'Deleted.') throw new Error(`wrong result: ${JSON.stringify(result)}`);
  };
  const callers = width => Array(width).fill(call);
  if (carrier === 'memory') {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const served = serveStdio(sides[name].factory(), { transport: far });
    await client.connect(near);
    return { callers, pid: undefined, close: () => client.close().then(() => served.close()) };
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [serverFile, name, 'stdio'],
    stderr: 'ignore',
    env: process.env,
  });
  await client.connect(transport);
  return { callers, pid: transport.pid, close: () => client.close() };
}

async function connectHttp(name, era) {
  const child = spawn(process.execPath, [serverFile, name, 'http'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const newCaller = await bareCaller(new URL(/http:\S+/.exec(String(line))[0]), era);
  const made = [];
  const callers = width => {
    while (made.length < width) made.push(newCaller());
    return made.slice(0, width);
  };
  return { callers, pid: child.pid, close: () => child.kill() };
}

async function run(connection, width, count) {
  let left = count;
  const callers = await connection.callers(width);
  await Promise.all(
    callers.map(async call => {
      while (left-- > 0) await call();
    }),
  );
}

async function measure(connection, width) {
  const serverBefore = connection.pid === undefined ? 0 : cpuOf(connection.pid);
  const clientBefore = process.cpuUsage();
  const begun = performance.now();
  await run(connection, width, calls);
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(clientBefore);
  const server = connection.pid === undefined ? 0 : cpuOf(connection.pid) - serverBefore;
  return { rate: calls / seconds, client: (user + system) / calls, server: server / calls };
}

const available = [];
for (const name of Object.keys(sides)) {
  if (name.startsWith('fastmcp')) {
    const found = await import('fastmcp').then(
      () => true,
      () => false,
    );
    if (!found) {
      console.log('fastmcp is not installed (npm install --prefix tools/bench), so it does not take part.');
      continue;
    }
  }
  available.push(name);
}

for (const era of ['2026-07-28', '2025-11-25']) {
  for (const carrier of peersOnly ? ['stdio', 'http'] : ['memory', 'stdio', 'http']) {
    const names = available.filter(
      name =>
        sides[name].eras.includes(era) &&
        (carrier !== 'memory' || sides[name].factory) &&
        (!peersOnly || name === 'midcall' || peersOf(era, carrier).includes(name)),
    );
    const connections = new Map();
    for (const name of names) connections.set(name, await connect(name, era, carrier));
    for (const width of [1, 32]) {
      const results = new Map(names.map(name => [name, []]));
      for (const name of names) await run(connections.get(name), width, width === 1 ? warmUp : calls);
      for (let round = 0; round < rounds; round++) {
        const turn = round % 2 === 0 ? names : names.toReversed();
        for (const name of turn) results.get(name).push(await measure(connections.get(name), width));
      }
      console.log(`\n${era}, ${carrier}, ${width} at once`);
      for (const name of names) {
        const rates = results.get(name).map(each => each.rate);
        const ratios = results.get('midcall').map((own, index) => own.rate / rates[index]);
        const cpu = key => median(results.get(name).map(each => each[key])).toFixed(0);
        console.log(
          `  ${name.padEnd(25)} ${median(rates).toFixed(0).padStart(6)} calls/s (${Math.min(...rates).toFixed(0)}-${Math.max(...rates).toFixed(0)})` +
            `  CPU per call: client ${cpu('client')} µs, server ${cpu('server')} µs` +
            (name === 'midcall' ? '' : `  midcall is ${median(ratios).toFixed(2)}x`),
        );
        if (!peersOf(era, carrier).includes(name)) continue;
        const [own, theirs] = ['midcall', name].map(each =>
          Math.round(median(results.get(each).map(({ server }) => server))),
        );
        figure({
          work: `ask, ${era}, with a key and a store, ${carrier}, ${width} at once`,
          beside: name,
          unit: 'of its rate',
          values: ratios,
          least: 0.9,
          ...(carrier !== 'memory' && { also: `server CPU ${own} µs against ${theirs}` }),
        });
      }
    }
    for (const connection of connections.values()) await connection.close();
  }
}
process.exit(0);
