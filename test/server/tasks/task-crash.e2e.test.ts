/** What a task keeps under `kill -9`; the full count is task-crash.soak.test.ts. Needs the build. */
import { expect, it } from 'vitest';
import { seeded } from '../call/crash-claims.ts';
import { crashTasks } from './task-crashing.ts';

it('tasks end once, with no effect twice, every doubt told and no answer asked for anew, though their server is killed', async () => {
  const tally = await crashTasks(8, seeded(2026));
  expect(tally.kills).toBeGreaterThan(0);
});
