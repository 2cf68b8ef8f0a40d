/** The end of a desk in the background that nobody uses. */
import { expect, it } from 'vitest';
import { endWhenIdle } from '../../packages/midcall/src/shared-desk/index.ts';
import { handClock } from '../host/clock.ts';

const minute = 60_000;

it('a desk that is idle for half an hour ends, once, and not a minute before', () => {
  const clock = handClock();
  const ends: string[] = [];
  endWhenIdle(
    () => true,
    () => void ends.push('end'),
    clock,
  );
  for (let passed = 0; passed < 29; passed += 1) clock.move(minute);
  expect(ends).toEqual([]);
  clock.move(minute);
  expect(ends).toEqual(['end']);
  for (let passed = 0; passed < 60; passed += 1) clock.move(minute);
  expect(ends).toEqual(['end']);
});

it('a desk that is used once has half an hour again', () => {
  const clock = handClock();
  let isIdle = true;
  const ends: string[] = [];
  endWhenIdle(
    () => isIdle,
    () => void ends.push('end'),
    clock,
  );
  for (let passed = 0; passed < 20; passed += 1) clock.move(minute);
  isIdle = false;
  clock.move(minute);
  isIdle = true;
  for (let passed = 0; passed < 29; passed += 1) clock.move(minute);
  expect(ends).toEqual([]);
  clock.move(minute);
  expect(ends).toEqual(['end']);
});
