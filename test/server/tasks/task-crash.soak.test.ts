/** What a task keeps under `kill -9`, at full count: 500 tasks on one SQLite file. */
import { expect, it } from 'vitest';
import { seeded } from '../call/crash-claims.ts';
import { crashTasks } from './task-crashing.ts';

it('500 tasks end once, with no effect twice, every doubt told and no answer asked for anew', async () => {
  const seed = Number(process.env['MIDCALL_SEED'] ?? 7);
  const tasks = Number(process.env['MIDCALL_TASKS'] ?? 500);
  let shown = 0;
  const tally = await crashTasks(tasks, seeded(seed), (over, kills) => {
    if (over < shown + 25) return;
    shown = over;
    console.log(`${over} of ${tasks} tasks are over, after ${kills} kills`);
  });
  console.log(`seed ${seed}: ${JSON.stringify(tally)}`);
  expect(tally.kills).toBeGreaterThan(tasks / 2);
  expect(tally.inDoubt).toBeGreaterThan(0);
});
