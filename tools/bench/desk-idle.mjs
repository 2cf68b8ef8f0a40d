/**
 * A part of tools/bench/desk.mjs: start-up and idle memory of the desk's process beside the official Inspector's, each alone
 * and without a server. The Inspector is installed into a folder of its own below the system's temporary one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, median } from './figure.mjs';

const desk = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const place = join(tmpdir(), 'midcall-bench-inspector');
const name = '@modelcontextprotocol/inspector';
const settleMs = 3_000;
const timeoutMs = 60_000;

const wait = ms => new Promise(resolve => setTimeout(resolve, ms));

function freePort() {
  const server = createServer();
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A process and everything below it. */
function family(pid) {
  const parents = readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .flatMap(entry => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        return [[Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
  const all = [pid];
  for (const each of all) all.push(...parents.filter(([, parent]) => parent === each).map(([child]) => child));
  return all;
}

/** Proportional memory of a family, in MB: what is shared between processes counts once. */
function memory(pids) {
  const kilobytes = pids.map(pid => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function reached(port, child) {
  const begun = performance.now();
  while (performance.now() - begun < timeoutMs && child.exitCode === null) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return true;
    } catch {
      await wait(10);
    }
  }
  return false;
}

async function once(args, port, env = {}) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  try {
    if (!(await reached(port, child))) return undefined;
    const startMs = performance.now() - begun;
    await wait(settleMs);
    const pids = family(child.pid);
    return { startMs, megabytes: memory(pids), processes: pids.length };
  } finally {
    const pids = family(child.pid);
    for (const pid of pids.reverse()) {
      try {
        process.kill(pid, 'SIGTERM');
      } catch {
        // Gone already.
      }
    }
  }
}

async function several(times, make) {
  const runs = [];
  for (let at = 0; at < times; at += 1) {
    const run = await make();
    if (!run) return undefined;
    runs.push(run);
  }
  const of = key => median(runs.map(run => run[key]));
  const starts = runs.map(run => run.startMs);
  return { starts, startMs: of('startMs'), megabytes: of('megabytes'), processes: of('processes') };
}

function installed() {
  const manifest = join(place, 'node_modules', name, 'package.json');
  const read = () => {
    try {
      return JSON.parse(readFileSync(manifest, 'utf8'));
    } catch {
      return undefined;
    }
  };
  if (read()) return read();
  mkdirSync(place, { recursive: true });
  const flags = ['--prefix', place, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  spawnSync('npm', ['install', ...flags, name], { cwd: place, stdio: 'ignore', timeout: 300_000 });
  return read();
}

/** Prints both, or says why there is only one. */
export async function idle(times = 3) {
  if (process.platform !== 'linux') {
    console.log('start-up and idle memory: measured on Linux only');
    return;
  }
  const line = (what, { startMs, megabytes, processes }) =>
    console.log(
      `  ${what.padEnd(42)}  ${startMs.toFixed(0).padStart(5)} ms  ${megabytes.toFixed(0).padStart(4)} MB in ${processes} process${processes === 1 ? '' : 'es'}`,
    );
  console.log(`start-up to the first page served, and idle memory; medians of ${times}:`);
  const ours = await several(times, async () => {
    const port = await freePort();
    return once([desk, 'desk', '--no-keep', '--port', String(port)], port);
  });
  if (ours) line('midcall desk', ours);
  else console.log('  midcall desk did not start');
  const peer = installed();
  if (!peer) {
    console.log(`  ${name} is unavailable: it could not be installed from npm`);
    return;
  }
  const bin = join(place, 'node_modules', name, Object.values(peer.bin)[0]);
  const theirs = await several(times, async () => {
    const [port, proxy] = [await freePort(), await freePort()];
    const env = {
      CLIENT_PORT: String(port),
      SERVER_PORT: String(proxy),
      MCP_AUTO_OPEN_ENABLED: 'false',
      HOST: '127.0.0.1',
    };
    return once([bin], port, env);
  });
  if (theirs) {
    line(`${name} ${peer.version}`, theirs);
    if (!ours) return;
    figure({
      work: 'start of `midcall desk` to its first page',
      beside: `Inspector ${peer.version}`,
      unit: 'times',
      values: ours.starts.map((each, round) => each / theirs.starts[round]),
      most: 0.33,
      also: `${(ours.startMs / 1_000).toFixed(2)} s against ${(theirs.startMs / 1_000).toFixed(2)} s`,
    });
  } else console.log(`  ${name} ${peer.version} is unavailable: it did not serve its page`);
}
