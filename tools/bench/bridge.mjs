/**
 * What a bridge costs a call, in one run: a tool of the notes server called directly and through `midcall bridge` over standard input
 * and output in each pair of revisions; then the same server over HTTP behind `midcall bridge --http`, mcp-proxy and supergateway,
 * which are installed into a folder of their own; and a bridge with 200 rules and 1,000 grants beside one without, for calls that a
 * rule allows and for calls that a grant lets pass. One call at a time and 32 at once. Sides take turns within each round; medians.
 * The processor time is that of the process between, without the server's: Linux alone tells it in /proc.
 * Run after `npm run build`: node tools/bench/bridge.mjs [rounds] [calls per round] [stdio | http | rules]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cpuOf } from './cpu-of.mjs';
import { figure, median } from './figure.mjs';
import { quietFetch } from './quiet-fetch.mjs';

const rounds = Number(process.argv[2] ?? 7);
const calls = Number(process.argv[3] ?? 320);
const only = process.argv[4];
// A bridge runs for hours: what it costs before its code is compiled is not what a host feels.
const warmUp = Math.max(2 * calls, 1_000);
const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
writeFileSync(join(folder, 'a.md'), '# A\n\ntext\n');
const server = [process.execPath, main, 'notes', folder];

async function connect(transport, era) {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  await client.connect(transport);
  return client;
}

/** A server, or a bridge before one, as the host starts it. */
async function startedByHost([command, ...args], era, env) {
  const transport = new StdioClientTransport({ command, args, stderr: 'ignore', ...(env && { env }) });
  const client = await connect(transport, era);
  return { client, pid: transport.pid, close: () => client.close() };
}

async function freePort() {
  const held = createServer();
  await new Promise(resolve => held.listen(0, '127.0.0.1', resolve));
  const { port } = held.address();
  await new Promise(resolve => held.close(resolve));
  return port;
}

/** A process that listens, and a host of it. */
async function listening(wordsFor) {
  const port = await freePort();
  const [command, ...args] = wordsFor(port);
  const child = spawn(command, args, { stdio: 'ignore' });
  process.once('exit', () => child.kill());
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { fetch: quietFetch });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}.`);
    try {
      const client = await connect(transport(), '2025-11-25');
      const close = async () => {
        await client.close();
        child.kill();
      };
      return { client, pid: child.pid, close };
    } catch {
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}

/** @returns calls a second, and processor microseconds of the process for each */
async function timed({ client, pid }, count, width) {
  const [begun, before] = [performance.now(), cpuOf(pid)];
  for (let at = 0; at < count; at += width) {
    const one = async () => {
      const { isError } = await client.callTool({ name: 'notes_read', arguments: { path: 'a.md' } });
      if (isError) throw new Error('notes_read failed');
    };
    await Promise.all(Array.from({ length: width }, one));
  }
  const perSecond = (count / (performance.now() - begun)) * 1_000;
  return { perSecond, cpu: (cpuOf(pid) - before) / count };
}

/** Rounds in which the sides take turns; the ratios are to the first side, and the last is the bridge. */
async function compare(title, names, sides, limits) {
  for (const width of [1, 32]) {
    const taken = sides.map(() => []);
    for (const side of sides) await timed(side, warmUp, width);
    for (let round = 0; round < rounds; round += 1) {
      const order = sides.map((_, at) => (at + round) % sides.length);
      for (const at of order) taken[at].push(await timed(sides[at], calls, width));
    }
    for (const [at, name] of names.entries()) {
      const ratios = taken[at].map(({ perSecond }, round) => perSecond / taken[0][round].perSecond);
      const perSecond = Math.round(median(taken[at].map(each => each.perSecond)));
      const cpu = Math.round(median(taken[at].map(each => each.cpu)));
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
      console.log(
        `${title}  ${String(width).padStart(2)}  ${name.padEnd(14)} ${String(perSecond).padStart(6)}/s  ${String(cpu).padStart(5)} µs  ${median(ratios).toFixed(2)} (${range})`,
      );
      if (at < sides.length - 1) continue;
      const { mostCpu, ...rate } = limits;
      figure({ ...rate, work: `${limits.work}, ${width} at once`, values: ratios });
      if (mostCpu === undefined) continue;
      const values = taken[at].map((own, round) => own.cpu / taken[0][round].cpu);
      const { beside } = limits;
      figure({ work: 'the same, CPU of it per call', beside, unit: 'times', values, most: mostCpu, also: `${cpu} µs` });
    }
  }
  await Promise.all(sides.map(each => each.close()));
}

/**
 * A bridge with 200 rules, of which the last is about the call, and 1,000 grants, of which the last lets it pass if the rule asks.
 * @returns how a host starts it
 */
function withRules(effect) {
  const own = join(folder, effect);
  mkdirSync(own);
  const [rules, answers] = [join(own, 'rules.json'), join(own, 'answers.json')];
  const where = { properties: { path: { type: 'string', maxLength: 100 } }, required: ['path'] };
  const others = Array.from({ length: 199 }, (_, n) => ({ server: '*', tools: [`other_${n}_*`], effect: 'refuse' }));
  writeFileSync(rules, JSON.stringify([...others, { server: '*', tools: ['notes_read'], where, effect }]));
  const grant = { scope: 'fields', fields: ['path'], end: 'day' };
  writeFileSync(answers, JSON.stringify(effect === 'ask' ? [{ action: 'accept', content: { grant } }] : []));
  const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: own, XDG_RUNTIME_DIR: own, XDG_STATE_HOME: own };
  const words = ['call', 'notes_read', 'path=a.md', '--rules', rules, '--answers', answers, '--', ...server];
  execFileSync(process.execPath, [main, ...words], { env, stdio: 'ignore' });
  const file = join(own, 'midcall', 'consent.json');
  const { grants, calls: asked } =
    effect === 'ask' ? JSON.parse(readFileSync(file, 'utf8')) : { grants: [], calls: {} };
  const [madeAt, until] = [Date.now(), Date.now() + 86_400_000];
  const more = Array.from({ length: 1_000 - grants.length }, (_, n) => ({
    ...{ id: `g${n}`, server: 'notes', tool: `other_${n}`, binding: `b${n}`, scope: 'fields' },
    ...{ equal: { path: 'x' }, shows: '{"path":"a.md"}', madeAt, until },
  }));
  mkdirSync(join(own, 'midcall'), { recursive: true });
  writeFileSync(file, JSON.stringify({ grants: [...more, ...grants], calls: asked }));
  return { words: [process.execPath, main, 'bridge', '--rules', rules, '--', ...server], env };
}

console.log(`${calls} calls x ${rounds} rounds; node ${process.version}`);
console.log(
  'host, server            width  what        calls/s   cpu of it per call   ratio of calls/s (rounds from to)',
);
try {
  if (only === undefined || only === 'rules') {
    for (const [effect, what, least] of [
      ['allow', 'calls that a rule allows', 0.97],
      ['ask', 'calls that a grant lets pass', 0.8],
    ]) {
      const { words, env } = withRules(effect);
      const era = '2025-11-25';
      const without = [process.execPath, main, 'bridge', '--', ...server];
      const sides = [await startedByHost(without, era, env), await startedByHost(words, era, env)];
      const work = `bridge with 200 rules and 1,000 grants, ${what}`;
      const limits = { work, beside: 'the bridge without rules', unit: 'of its rate', least };
      await compare(`rules, ${effect}`.padEnd(22), ['without rules', 'with rules'], sides, limits);
    }
  }
  if (only === undefined || only === 'stdio') {
    for (const era of ['2025-11-25', '2026-07-28']) {
      for (const behind of ['2025-11-25', '2026-07-28']) {
        const bridged = [process.execPath, main, 'bridge', '--era', behind, '--', ...server];
        const sides = [await startedByHost(server, era), await startedByHost(bridged, era)];
        const work = `bridge, stdio, host ${era}, server ${behind}`;
        const limits = { work, beside: 'the server called directly', unit: 'of its rate', least: 0.5 };
        await compare(`${era}, ${behind}`, ['direct', 'midcall bridge'], sides, limits);
      }
    }
  }
  if (only === undefined || only === 'http') {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'mcp-proxy', 'supergateway'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const installed = path => join(folder, 'node_modules', path);
    const sides = [
      await listening(port => [
        process.execPath,
        installed('mcp-proxy/dist/bin/mcp-proxy.mjs'),
        ...['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--', ...server],
      ]),
      await listening(port => [
        process.execPath,
        installed('supergateway/dist/index.js'),
        ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ]),
      await listening(port => [
        process.execPath,
        main,
        ...['bridge', '--era', '2025-11-25', '--http', String(port), '--', ...server],
      ]),
    ];
    const limits = { work: 'bridge, HTTP', beside: 'mcp-proxy', unit: 'of its rate', least: 1.2, mostCpu: 0.5 };
    await compare('2025-11-25, HTTP      ', ['mcp-proxy', 'supergateway', 'midcall bridge'], sides, limits);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
