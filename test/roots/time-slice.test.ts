/** Operations that need no thread still leave room for everything else. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary } from '@midcall/server/roots';
import { expect, it } from 'vitest';

it('timers and immediates run between thousands of operations side by side', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-slice-')));
  writeFileSync(join(root, 'x'), 'x');
  await using files = await boundary({ ceiling: [root] }).files();
  let turns = 0;
  let running = true;
  const turn = (): void => {
    turns += 1;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (let count = 0; count < 60; count += 1) await files.exists('x');
    }),
  );
  running = false;
  // Without pacing all run in one turn.
  expect(turns).toBeGreaterThan(10);
  rmSync(root, { recursive: true });
});
