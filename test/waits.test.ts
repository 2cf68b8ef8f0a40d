/** Quick tests wait for events: one that waits for time to pass is slow when the machine is idle, and wrong when it is busy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../tools/places.ts';

/** Where a timer is what the test is about: a handler that races a question against one. */
const about = new Set(['testing/explore.test.ts']);
const waits = /\bsetTimeout\(|\bsetInterval\(|\bexpect\.poll\(|\bwaitUntil\(|\bwaitFor\(|timers\/promises/;

it('no quick test waits for time to pass', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
    file => /\.test\.ts$/.test(file) && !/\.(?:e2e|browser|soak)\.test\.ts$/.test(file) && file !== 'waits.test.ts',
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter(file => waits.test(readFileSync(join(root, 'test', file), 'utf8'))).sort()).toEqual([...about]);
});
