/** A line of the table that tools/bench/run.mjs makes of a whole run. Alone, a bench prints its figures and nothing is kept. */
import { appendFileSync } from 'node:fs';

export const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * @param {object} row
 * @param {string} row.work - what is measured
 * @param {string} row.beside - the peer, in the same run
 * @param {string} row.unit - what the values are, such as `of the peer's rate`
 * @param {readonly number[]} row.values - one for each round
 * @param {number} [row.least] - what the median should reach
 * @param {number} [row.most] - what it should not pass
 * @param {string} [row.also] - more that was seen
 */
export function figure(row) {
  const file = process.env.MIDCALL_BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}
