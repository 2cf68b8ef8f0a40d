/**
 * Without a name, the benches that a person or an operator feels, one after the other, each in a process of its own; then one
 * table of their figures, which is also written to bench/RESULTS.md. With names, those benches alone, and no table:
 * npm run bench [name...]
 * Figures are ratios to a named peer measured in the same run; see the head of each file for what and against whom.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './figure.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const loader = new URL('../scripts/load-typescript.mjs', import.meta.url).href;
const wanted = process.argv.slice(2).map(name => [name.endsWith('.mjs') ? name : `${name}.mjs`]);
/** With how much work each: rounds first, as every bench has it. */
const table = [
  ['start.mjs', '9'],
  ['bridge-start.mjs', '7'],
  ['asks.mjs', '7', '160', 'peers'],
  ['pending.mjs', '1000', '3'],
  ['bridge.mjs', '5', '96'],
  ['pages.mjs', '7', '256', 'redis'],
  ['desk.mjs', '20'],
];
const records = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const file = join(records, 'figures.jsonl');
writeFileSync(file, '');
const env = { ...process.env, MIDCALL_BENCH_FIGURES: file };
for (const [name, ...args] of wanted.length > 0 ? wanted : table) {
  console.log(`\n== ${name}`);
  const words = ['--import', loader, `${folder}${name}`, ...args];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}

const round = (value, unit) => value.toFixed(unit === 'ms' ? 1 : 2);

/** One line: what, beside what, the median with its range, the aim, and whether it is reached. */
function line({ work, beside, unit, values, least, most, also }) {
  const middle = median(values);
  const range = `${round(Math.min(...values), unit)} to ${round(Math.max(...values), unit)}`;
  const aim = least === undefined ? `≤ ${round(most, unit)}` : `≥ ${round(least, unit)}`;
  const reached = least === undefined ? middle <= most : middle >= least;
  const figure = `**${round(middle, unit)}** ${unit} (${range}; ${values.length} rounds)${also ? `; ${also}` : ''}`;
  return `| ${work} | ${beside} | ${figure} | ${aim} | ${reached ? 'yes' : 'no'} |`;
}

function results() {
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(each => line(JSON.parse(each)));
  const versionOf = name =>
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
  const load = loadavg()
    .map(each => each.toFixed(1))
    .join(', ');
  const [{ model }] = cpus();
  return `# What a person waits for, and what an operator pays

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, in one run. Each figure is the median of its rounds, with their range. The two
sides of a row take turns, so that what else the machine does falls on both; on a busy machine the ratios and the processor time
say more than seconds.

Node ${process.version}, SDK ${versionOf('@modelcontextprotocol/server')}, Zod ${versionOf('zod')}; ${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}; load at the end of the run ${load}.

| Work | Beside | Figure | Aim | Reached |
|---|---|---|---|---|
${rows.join('\n')}

Where the processor time of a 2026-07-28 ask goes: [before](flame-2026-before.svg) and [now](flame-2026.svg)
(\`node bench/flame.mjs OUT.svg\`). What of it is the SDK's own: [docs/sdk-cost.md](../docs/sdk-cost.md).
`;
}

if (wanted.length === 0 && process.exitCode === undefined) {
  const text = results();
  writeFileSync(join(folder, 'RESULTS.md'), text);
  console.log(`\n${text}`);
}
rmSync(records, { recursive: true });
