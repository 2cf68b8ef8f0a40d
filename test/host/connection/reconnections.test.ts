/** A server over HTTP that ends every stream at once, or wants its client back far too soon or far too late. */
import { expect, it } from 'vitest';
import { pacedReconnections } from '../../../packages/host/src/connection/transport.ts';
import { handClock } from '../clock.ts';

it('a server has its client back as soon as it wants, a hundred times, and then once a second', () => {
  const clock = handClock();
  const schedule = pacedReconnections(clock);
  let count = 0;
  // Each stream that is opened ends at once.
  const again = (): void => {
    count += 1;
    schedule(again, 0);
  };
  schedule(again, 0);
  for (let at = 0; at < 500; at += 1) clock.move(1);
  expect(count).toBe(100);
  clock.move(1_000);
  clock.move(1_000);
  expect(count).toBe(102);
});

it('a server may have its client back quickly again when it has been calm for a while', () => {
  const clock = handClock();
  const schedule = pacedReconnections(clock);
  for (let at = 0; at < 150; at += 1) schedule(() => {}, 0);
  expect(clock.left.at(-1)).toBe(1_000);
  clock.move(10_001);
  schedule(() => {}, 7);
  expect(clock.left).toEqual([7]);
});

it('a client is kept waiting for five minutes at most, and what was scheduled can be called off', () => {
  const clock = handClock();
  const callOff = pacedReconnections(clock)(() => {}, Number.MAX_SAFE_INTEGER);
  expect(clock.left).toEqual([300_000]);
  callOff();
  expect(clock.waiting).toBe(0);
});
