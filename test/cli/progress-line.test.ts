import { expect, it } from 'vitest';
import { progressLine } from '../../packages/midcall/src/cli/call.ts';

it.each([
  [{ progress: 2, total: 5, message: 'Reading' }, '… 2 of 5: Reading'],
  [{ progress: 2, total: 5 }, '… 2 of 5'],
  [{ progress: 2, message: 'Waiting\u202E' }, '… Waiting⟦U+202E⟧'],
  [{ progress: 2 }, '… 2'],
])(
  'a progress line shows a count where it says how much is left, or where there is nothing else: %j',
  (progress, line) => {
    expect(progressLine(progress)).toBe(line);
  },
);
