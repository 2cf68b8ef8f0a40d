/** The race at full length: 100,000 attempts of each operation at each level. */
import { boundary } from '@midcall/server/roots';
import { describe, expect, it } from 'vitest';
import { levels, operations, race, raceTrees } from './race.ts';

const attempts = Number(process.env['MIDCALL_RACE_ATTEMPTS'] ?? 100_000);
const held = async (root: string) => await boundary({ ceiling: [root], requireStrong: true }).files();

describe.skipIf(process.platform !== 'linux')(`${attempts} raced attempts`, () => {
  const cases = Object.keys(operations).flatMap(operation => levels.map(level => [operation, level] as const));

  it.each(cases)('%s never reaches outside while its %s is swapped', async (operation, level) => {
    const outcome = await race(operation, level, attempts, held);
    expect(outcome).toMatchObject({ escaped: 0 });
    expect(outcome.succeeded).toBeGreaterThanOrEqual(attempts / 10);
    process.stdout.write(`${operation} ${level}: ${JSON.stringify(outcome)}\n`);
  });

  it('removing a tree never removes outside', async () => {
    const outcome = await raceTrees(attempts / 10, held);
    expect(outcome).toMatchObject({ escaped: 0 });
    process.stdout.write(`trees: ${JSON.stringify(outcome)}\n`);
  });
});
