/**
 * Reading, asking for existence and listing inside a boundary, beside what the reference filesystem server does for the
 * same (validate the path, then use it) and beside bare fs.promises, which has no boundary. Same tree, interleaved rounds,
 * medians and their ratios. Run after `npm run build`: node tools/bench/roots.mjs [rounds]
 *
 * Where the time of a read goes (perf): alone it takes seven system calls: open by O_PATH, readlink, fstat, reopen, read and
 * two times close, 15 of 18 µs. At 24 levels the open costs 8 instead of 4 µs: behind `/proc/self/fd/N` the kernel walks a
 * path by reference counts, twice as slow as lock-free. Reads that are asked for together open their directory once and
 * then need neither the walk nor the readlink. The reference spends 85 to 115 µs of processor time, over both cores.
 * A list of 10,000 is bound by the objects that are made of its entries, on both sides, and so its ratio moves by 5 %
 * around 1 from run to run. What else runs on the machine can be kept out with `chrt -f 10 node tools/bench/roots.mjs`.
 */
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { boundary } from '@midcall/server/roots';

const rounds = Number(process.argv[2] ?? 15);
const reference = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/lib.js'),
);
const { setAllowedDirectories, validatePath, readFileContent } = await import(
  pathToFileURL(join(reference, 'lib.js')).href
);

const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-bench-')));
const deep = Array.from({ length: 24 }, (_, level) => `level-${level}`).join('/');
fs.mkdirSync(join(root, deep), { recursive: true });
fs.mkdirSync(join(root, 'many'));
fs.mkdirSync(join(root, 'notes'));
for (const path of ['notes/a.txt', `${deep}/a.txt`]) fs.writeFileSync(join(root, path), 'x'.repeat(4096));
for (let number = 0; number < 10_000; number += 1) fs.writeFileSync(join(root, `many/note-${number}.txt`), '');

setAllowedDirectories([root]);
const files = await boundary({ ceiling: [root], requireStrong: true }).files();
const [near, far, many] = [join(root, 'notes/a.txt'), join(root, deep, 'a.txt'), join(root, 'many')];

/** Name, operations per round, least ratio at each concurrency, and the three sides. */
const benches = [
  {
    name: 'read 4 KiB',
    perRound: 1_500,
    least: { 1: 2.5, 32: 2.5 },
    midcall: () => files.readText(near),
    reference: async () => await readFileContent(await validatePath(near)),
    bare: () => fs.promises.readFile(near, 'utf8'),
  },
  {
    name: 'exists',
    perRound: 4_000,
    least: { 1: 1.3, 32: 1.0 },
    midcall: () => files.exists(near),
    reference: () => validatePath(near),
    bare: () => fs.promises.access(near),
  },
  {
    name: 'read, 24 levels deep',
    perRound: 1_500,
    least: { 1: 3, 32: 3 },
    midcall: () => files.readText(far),
    reference: async () => await readFileContent(await validatePath(far)),
    bare: () => fs.promises.readFile(far, 'utf8'),
  },
  {
    name: 'list 10,000',
    perRound: 12,
    least: { 1: 1.0, 32: 1.0 },
    midcall: () => files.list(many),
    reference: async () => {
      const entries = await fs.promises.readdir(await validatePath(many), { withFileTypes: true });
      return entries.map(entry => `${entry.isDirectory() ? '[DIR]' : '[FILE]'} ${entry.name}`);
    },
    bare: () => fs.promises.readdir(many, { withFileTypes: true }),
  },
];

/** Microseconds per operation, with `concurrency` loops side by side. */
async function time(side, count, concurrency) {
  let left = count;
  const loop = async () => {
    while (left-- > 0) await side();
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, loop));
  return ((performance.now() - began) * 1000) / count;
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const column = (value, width = 9) => String(value).padStart(width);
let missed = 0;

console.log(`node ${process.version}, ${rounds} interleaved rounds, medians in µs per operation`);
console.log(
  `${' '.repeat(26)}${column('midcall')}${column('reference', 11)}${column('bare')}${column('ratio')}   least`,
);
for (const { name, perRound, least, ...sides } of benches) {
  for (const concurrency of [1, 32]) {
    const times = { midcall: [], reference: [], bare: [] };
    for (const side of Object.keys(times)) await time(sides[side], Math.ceil(perRound / 4), concurrency);
    for (let round = 0; round < rounds; round += 1) {
      const order = Object.keys(times);
      for (let turn = 0; turn < order.length; turn += 1) {
        const side = order[(turn + round) % order.length];
        times[side].push(await time(sides[side], perRound, concurrency));
      }
    }
    const [ours, theirs, bare] = [median(times.midcall), median(times.reference), median(times.bare)];
    const ratio = theirs / ours;
    if (ratio < least[concurrency]) missed += 1;
    console.log(
      `${`${name} × ${concurrency}`.padEnd(26)}${column(ours.toFixed(1))}${column(theirs.toFixed(1), 11)}${column(bare.toFixed(1))}` +
        `${column(`${ratio.toFixed(2)}×`)}   ${least[concurrency].toFixed(1)}×${ratio < least[concurrency] ? '  MISSED' : ''}`,
    );
  }
}

/** 99th percentile of the event-loop delay in milliseconds while `work` runs for `milliseconds`. */
async function delay(work, milliseconds) {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  let running = true;
  const loops = Array.from({ length: work ? 32 : 0 }, async () => {
    while (running) await work();
  });
  await sleep(100);
  monitor.enable();
  await sleep(milliseconds);
  monitor.disable();
  running = false;
  await Promise.all(loops);
  return monitor.percentile(99) / 1e6;
}

const delays = { idle: [], exists: [], read: [], reference: [] };
for (let round = 0; round < 5; round += 1) {
  delays.idle.push(await delay(undefined, 600));
  delays.exists.push(await delay(() => files.exists(near), 600));
  delays.read.push(await delay(() => files.readText(near), 600));
  delays.reference.push(await delay(() => validatePath(near), 600));
}
const idle = median(delays.idle);
for (const name of ['exists', 'read', 'reference']) {
  const above = median(delays[name]) - idle;
  const over = name !== 'reference' && above > 1;
  if (over) missed += 1;
  console.log(
    `event loop p99, ${name.padEnd(9)} × 32: ${above.toFixed(2)} ms above idle (${idle.toFixed(2)} ms)${over ? '  MISSED (at most 1)' : ''}`,
  );
}

await files.close();
fs.rmSync(root, { recursive: true, force: true });
process.exitCode = missed > 0 ? 1 : 0;
