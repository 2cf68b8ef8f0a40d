/**
 * What a bridge costs a host at its start: the processor time of the bridge's own process, and the time on the clock, from its
 * start to its first list of tools; beside the same server by itself, and behind a relay that only passes bytes on. Sides take
 * turns; medians and ratios. Linux alone, which tells in /proc what a process has used.
 * Run after `npm run build`: node tools/bench/bridge-start.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 7);
const at = path => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const server = [process.execPath, at('node_modules/@modelcontextprotocol/server-everything/dist/index.js')];
const relay = [process.execPath, at('tools/bench/relay.mjs')];
const bridge = [process.execPath, at('packages/midcall/bin/midcall.js'), 'bridge'];
const sides = {
  'the server': server,
  'a relay of ten lines': [...relay, ...server],
  'the bridge, era auto': [...bridge, '--', ...server],
  'the bridge, 2025-11-25': [...bridge, '--era', '2025-11-25', '--', ...server],
};

/** Ticks are hundredths of a second on every Linux that Node runs on. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function start([command, ...args]) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const send = message => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    let used;
    createInterface({ input: child.stdout }).on('line', line => {
      const { id } = JSON.parse(line);
      if (id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
      }
      if (id !== 2) return;
      used = { cpu: processorSeconds(child.pid), seconds: (performance.now() - begun) / 1_000 };
      child.stdin.end();
    });
    child.on('error', reject);
    child.on('exit', () => (used ? resolve(used) : reject(new Error('It ended before its list of tools.'))));
    const clientInfo = { name: 'bench', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  });
}

const taken = Object.fromEntries(Object.keys(sides).map(name => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, words] of Object.entries(sides)) taken[name].push(await start(words));
}
const of = (name, what) => median(taken[name].map(each => each[what]));
console.log(`${rounds} rounds; node ${process.version}`);
console.log('                            cpu s   ratio   clock s   ratio');
for (const name of Object.keys(sides)) {
  const figures = ['cpu', 'seconds'].map(what => {
    const value = of(name, what);
    return `${value.toFixed(2).padStart(8)}${(value / of('the server', what)).toFixed(2).padStart(8)}`;
  });
  console.log(`${name.padEnd(25)}${figures.join('  ')}`);
}
const alone = taken['the server'];
const bridged = taken['the bridge, era auto'];
const ratios = name => taken[name].map(({ seconds }, round) => seconds / alone[round].seconds);
const beside = `server-everything alone (${of('the server', 'cpu').toFixed(2)} s)`;
figure({
  work: 'start of `midcall bridge` to its first list of tools, CPU of the bridge',
  beside,
  unit: 's',
  values: bridged.map(({ cpu }) => cpu),
  most: 0.35,
});
figure({
  work: 'the same, on the clock',
  beside: 'server-everything alone',
  unit: 'times',
  values: ratios('the bridge, era auto'),
  most: 1.3,
  also: `a relay of ten lines: ${median(ratios('a relay of ten lines')).toFixed(2)}`,
});
