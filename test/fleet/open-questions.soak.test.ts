/**
 * What many open questions cost a fleet, by its own bench at full count: a replica's memory and a look at a task do not grow with
 * them, and Redis grows by a bounded number of bytes for each.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../tools/bench/fleet.mjs', import.meta.url));
const many = Number(process.env['MIDCALL_QUESTIONS'] ?? 100_000);
const few = Math.ceil(many / 100);

it('100,000 open questions take no more heap of a replica, and no longer to look up, than 1,000 do', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [bench, String(few), String(many), '1000']);
  console.log(stdout);
  const rows = stdout.split('\n').map(line => line.trim().split(/\s{2,}/));
  const row = (count: number, kind: string) => rows.find(([at, as]) => at === String(count) && as === kind)!;
  const bytesOf = (count: number, kind: string) => Number(row(count, kind)[2]);
  const heapOf = (count: number, kind: string) => row(count, kind)[3]!.split(' and ').map(Number);
  for (const kind of ['2026-07-28', 'tasks']) {
    for (const bytes of heapOf(many, kind)) expect(bytes, `heap for each of ${kind}`).toBeLessThan(300);
  }
  expect(bytesOf(many, '2026-07-28')).toBeLessThan(100);
  expect(bytesOf(many, 'tasks')).toBeLessThan(1_700);
  const [shortest, longest] = [few, many].map(count => Number(row(count, 'tasks')[4]));
  expect(longest! / shortest!).toBeLessThan(3);
});
