/** Hosts that are killed while they make a call; the full count is in `killed-callers.soak.test.ts`. */
import { expect, it } from 'vitest';
import { killCallers } from './killed-callers.ts';

it('approvals-A6: a call whose host is killed with SIGKILL has run once, has not run, or is in doubt, and the same call made again says which', async () => {
  const ways = await killCallers(4);
  expect([...ways.keys()]).toContain('in-doubt');
});
