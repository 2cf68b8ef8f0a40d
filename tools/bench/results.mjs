/** The figures of one run as a page of Markdown: versions, the machine, and a row for each figure. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { median } from './figure.mjs';

const rounded = (value, unit) => value.toFixed(unit === 'ms' ? 1 : 2);

/** One line: what, beside what, the median with its range, the aim, and whether it is reached. */
function line({ work, beside, unit, values, least, most, also }) {
  const middle = median(values);
  const range = `${rounded(Math.min(...values), unit)} to ${rounded(Math.max(...values), unit)}`;
  const aim = least === undefined ? `≤ ${rounded(most, unit)}` : `≥ ${rounded(least, unit)}`;
  const reached = least === undefined ? middle <= most : middle >= least;
  const figure = `**${rounded(middle, unit)}** ${unit} (${range}; ${values.length} rounds)${also ? `; ${also}` : ''}`;
  return `| ${work} | ${beside} | ${figure} | ${aim} | ${reached ? 'yes' : 'no'} |`;
}

const versionOf = name =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;

/**
 * @param {readonly object[]} rows - as figure.mjs has them
 * @param {readonly string[]} missed - benches that did not come to their end
 */
export function results(rows, missed) {
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
${rows.map(line).join('\n')}
${missed.length > 0 ? `\nDid not come to their end in this run, so their rows are missing: ${missed.join(', ')}.\n` : ''}
Where the processor time of a 2026-07-28 ask goes: [before](flame-2026-before.svg) and [now](flame-2026.svg)
(\`node tools/bench/flame.mjs OUT.svg\`). What of it is the SDK's own: [docs/sdk-cost.md](../../docs/sdk-cost.md).
`;
}
