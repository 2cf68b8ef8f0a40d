/**
 * What loading the libraries costs, in processor time of a process that does nothing else: `import { midcall }` beside the import of
 * the SDK that it needs anyway, `import { attach }` beside that of the SDK's client. Sides take turns; medians and ratios.
 * Run after `npm run build`: node tools/bench/import.mjs [rounds]
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 15);
const cwd = fileURLToPath(new URL('../..', import.meta.url));

/** @returns milliseconds of processor time for an import, without the start of the process */
function cost(entry) {
  const script = `const begun = process.cpuUsage(); await import('${entry}'); const { user, system } = process.cpuUsage(begun); process.stdout.write(String((user + system) / 1e3));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' }));
}

const pairs = [
  ['@midcall/server', '@modelcontextprotocol/server', 1.5],
  ['@midcall/host', '@modelcontextprotocol/client', 1.75],
];
for (const [own, peer, most] of pairs) {
  const taken = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const ms = cost([own, peer][index]);
      if (round >= 0) taken[index].push(ms);
    }
  }
  const values = taken[0].map((each, round) => each / taken[1][round]);
  const also = taken.map(each => `${median(each).toFixed(0)} ms`).join(' against ');
  console.log(`import of ${own}: ${also} for ${peer}; ${median(values).toFixed(2)} times`);
  figure({
    work: `import of \`${own}\`, which loads the SDK too, CPU`,
    beside: `\`${peer}\``,
    unit: 'times',
    most,
    values,
    also,
  });
}
