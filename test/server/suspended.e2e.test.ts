/** E8: a suspended run is garbage; the full count is suspended.soak.test.ts. Needs the build. */
import { expect, it } from 'vitest';
import { suspended } from './suspended.ts';

it('3,000 suspended calls keep nothing', () => {
  const { before, after, alive } = suspended(3_000);
  expect(alive).toBe(0);
  // One handler alone holds a buffer of 256 bytes.
  expect((after - before) / 3_000).toBeLessThan(256);
});
