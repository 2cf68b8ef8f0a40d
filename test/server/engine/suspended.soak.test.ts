/** E8 at full count. */
import { expect, it } from 'vitest';
import { suspended } from './suspended.ts';

it('100,000 suspended calls keep nothing', () => {
  const kept = suspended(100_000);
  console.log(JSON.stringify(kept));
  expect(kept.alive).toBe(0);
  expect((kept.after - kept.before) / 100_000).toBeLessThan(64);
});
