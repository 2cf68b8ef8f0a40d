/** Who is told of changes, while the database cannot be read as well. */
import { expect, it } from 'vitest';
import { Changes } from '../../packages/inbox/src/store/changes.ts';
import { eventually } from '../fixtures/grown.ts';
import { manualClock } from './stage.ts';

it('a change is told to somebody who began to listen while the database could not be read', async () => {
  const clock = manualClock();
  let version: number | undefined;
  let reads = 0;
  const changes = new Changes({
    ...{ clock, wake: undefined, topic: subject => subject, failed() {}, worked() {} },
    async versions() {
      reads += 1;
      if (version === undefined) throw new Error('It is away.');
      return new Map([['ada', version]]);
    },
  });
  const told: number[] = [];
  const { begins, end } = changes.watch('ada', () => void told.push(reads));
  await begins;
  // It is back, and changes before anybody has looked again.
  version = 7;
  for (const read of [2, 3]) {
    clock.advance(200);
    await eventually(() => reads === read);
    await new Promise(resolve => setImmediate(resolve));
  }
  expect(told).toEqual([2]);
  end();
  await changes.stop();
});
