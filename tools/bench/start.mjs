/**
 * What the command costs at its start, in processor time of its own process: the notes server to its first list of tools, beside
 * a server on the SDK alone; `midcall --help`, beside a Node that does nothing. Sides take turns; medians and ratios.
 * Run after `npm run build`: node tools/bench/start.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 9);
const at = path => fileURLToPath(new URL(path, import.meta.url));
const main = at('../../packages/midcall/bin/midcall.js');
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
writeFileSync(join(folder, 'a.md'), '# A\n\ntext\n');

/** Loaded before a side: says on descriptor 3 what the process has used when it ends. */
const meter = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1e6)); });",
)}`;

/** @returns processor seconds of a process, from its start to its end */
async function used(args, talk) {
  const stdio = [talk ? 'pipe' : 'ignore', talk ? 'pipe' : 'ignore', 'ignore', 'pipe'];
  const child = spawn(process.execPath, ['--import', meter, ...args], { stdio });
  let said = '';
  child.stdio[3].on('data', chunk => {
    said += chunk;
  });
  talk?.(child);
  await once(child, 'close');
  if (said === '') throw new Error(`${args.join(' ')} ended without a word.`);
  return Number(said);
}

/** As a host does: it shakes hands, asks for the tools, and closes. */
function listTools({ stdin, stdout }) {
  const send = message => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface({ input: stdout }).on('line', line => {
    const { id } = JSON.parse(line);
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    }
    if (id === 2) stdin.end();
  });
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
}

const pairs = [
  {
    work: 'start of `midcall notes` to its first list of tools and its end, CPU',
    beside: 'a server on the SDK alone',
    // Its libraries are files of their own, so that a fix of one arrives without a release of ours.
    most: 1.5,
    sides: [() => used([main, 'notes', folder], listTools), () => used([at('bare-server.mjs')], listTools)],
  },
  {
    work: '`midcall --help`, CPU',
    beside: '`node -e 0`',
    most: 0.13 / 0.07,
    sides: [() => used([main, '--help']), () => used(['-e', '0'])],
  },
];
console.log(`${rounds} rounds; node ${process.version}`);
for (const { sides, ...row } of pairs) {
  const taken = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const seconds = await sides[index]();
      if (round >= 0) taken[index].push(seconds);
    }
  }
  const values = taken[0].map((each, round) => each / taken[1][round]);
  const [own, peer] = taken.map(each => `${median(each).toFixed(2)} s`);
  console.log(`${row.work}: ${own}; ${row.beside}: ${peer}; ${median(values).toFixed(2)} times`);
  figure({ ...row, unit: 'times', values, also: `${own} against ${peer}` });
}
rmSync(folder, { recursive: true, force: true });
