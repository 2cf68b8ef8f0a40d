/**
 * What a bridge costs a call: a tool of the notes server called directly and through `midcall bridge`, one at a time and 32 at
 * once, over standard input and output, in each pair of revisions. Sides take turns within each round; medians and the ratio.
 * A second process reads and writes every message, so at one at a time it can at best be half as fast: it is 0.40 to 0.44, and
 * 0.38 to 0.52 for 32 at once; 0.9 ms more for a call.
 * Run after `npm run build`: node bench/bridge.mjs [rounds] [calls per round]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { figure, median } from './figure.mjs';

const rounds = Number(process.argv[2] ?? 7);
const calls = Number(process.argv[3] ?? 320);
const warmUp = 2 * calls;
const main = fileURLToPath(new URL('../packages/midcall/bin/midcall.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'midcall-bench-'));
writeFileSync(join(folder, 'a.md'), '# A\n\ntext\n');
const server = [process.execPath, main, 'notes', folder];

async function connect([command, ...args], era) {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
  );
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  return client;
}

async function perSecond(client, count, width) {
  const begun = performance.now();
  for (let at = 0; at < count; at += width) {
    const one = async () => {
      const { isError } = await client.callTool({ name: 'notes_read', arguments: { path: 'a.md' } });
      if (isError) throw new Error('notes_read failed');
    };
    await Promise.all(Array.from({ length: width }, one));
  }
  return (count / (performance.now() - begun)) * 1_000;
}

console.log(`${calls} calls x ${rounds} rounds; node ${process.version}`);
console.log('host        server      width   direct/s   bridge/s   ratio (rounds from to)');
for (const era of ['2025-11-25', '2026-07-28']) {
  for (const behind of ['2025-11-25', '2026-07-28']) {
    const bridged = [process.execPath, main, 'bridge', '--era', behind, '--', ...server];
    const sides = [await connect(server, era), await connect(bridged, era)];
    for (const width of [1, 32]) {
      const taken = [[], []];
      for (const side of sides) await perSecond(side, warmUp, width);
      for (let round = 0; round < rounds; round++) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
          taken[index].push(await perSecond(sides[index], calls, width));
      }
      const ratios = taken[1].map((each, round) => each / taken[0][round]);
      const figures = taken.map(each => String(Math.round(median(each))).padStart(10)).join(' ');
      const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
      console.log(
        `${era}  ${behind}  ${String(width).padStart(5)} ${figures}   ${median(ratios).toFixed(2)} (${range})`,
      );
      figure({
        work: `bridge, stdio, host ${era}, server ${behind}, ${width} at once`,
        beside: 'the server called directly',
        unit: 'of its rate',
        values: ratios,
        least: 0.6,
      });
    }
    await Promise.all(sides.map(each => each.close()));
  }
}
rmSync(folder, { recursive: true, force: true });
