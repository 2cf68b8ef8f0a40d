/** E8: a suspended run is garbage; the full count is suspended.soak.test.ts. Needs the build. */
import { expect, it } from 'vitest';
import { suspended } from './suspended.ts';

it('3,000 suspended calls keep nothing', () => {
  const { before, after, alive } = suspended(3_000);
  expect(alive).toBe(0);
  // A run that is kept holds its journal, its closures and what the handler holds: several kilobytes.
  expect((after - before) / 3_000).toBeLessThan(1_024);
});
