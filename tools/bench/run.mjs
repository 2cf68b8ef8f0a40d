/**
 * Without a name, the benches that a person or an operator feels, one after the other, each in a process of its own; then one
 * table of their figures, which is also written to tools/bench/RESULTS.md. With names, those benches alone, and no table:
 * npm run bench [name...]
 * Figures are ratios to a named peer measured in the same run; see the head of each file for what and against whom.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { results } from './results.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const loader = new URL('../load-typescript.mjs', import.meta.url).href;
const wanted = process.argv.slice(2).map(name => [name.endsWith('.mjs') ? name : `${name}.mjs`]);
/** With how much work each: rounds first, as every bench has it. */
const table = [
  ['import.mjs', '15'],
  ['start.mjs', '9'],
  ['bridge-start.mjs', '15'],
  ['asks.mjs', '15', '480', 'peers'],
  ['pending.mjs', '1000', '3'],
  ['bridge.mjs', '15', '128'],
  ['pages.mjs', '9', '1024', 'redis'],
  ['desk.mjs', '40'],
];
const records = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
const file = join(records, 'figures.jsonl');
writeFileSync(file, '');
const missed = [];
// Few machines have such a list of certificates, which takes each Node process longer to read than the rest of its start.
const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env;
const env = { ...own, MIDCALL_BENCH_FIGURES: file };
for (const [name, ...args] of wanted.length > 0 ? wanted : table) {
  console.log(`\n== ${name}`);
  const words = ['--import', loader, `${folder}${name}`, ...args];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env });
  if (status === 0) continue;
  missed.push(name);
  process.exitCode = 1;
}

if (wanted.length === 0) {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(each => JSON.parse(each));
  const text = results(rows, missed);
  writeFileSync(join(folder, 'RESULTS.md'), text);
  console.log(`\n${text}`);
}
rmSync(records, { recursive: true });
