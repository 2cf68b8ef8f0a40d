/**
 * Keeps synchronous work short. Each operation asks {@link timeSlice} first: the work of one turn of the event loop may take
 * {@link budget} milliseconds, and later operations wait for a turn with time left. Without it a loop of awaited operations
 * that never leaves the microtask queue would starve timers and sockets.
 */
import { performance } from 'node:perf_hooks';

const budget = 0.25;

let turnBegan = -1;
const waiting: (() => void)[] = [];

/** True while this turn has time left; the first call begins it. */
export function hasTime(): boolean {
  if (turnBegan >= 0) return performance.now() - turnBegan < budget;
  turnBegan = performance.now();
  setImmediate(nextTurn);
  return true;
}

function nextTurn(): void {
  turnBegan = -1;
  resume();
}

/** Resumes waiting operations one after another, as long as there is time. */
function resume(): void {
  if (waiting.length === 0 || !hasTime()) return;
  waiting.shift()!();
  queueMicrotask(resume);
}

/** Undefined if there is time left in this turn, otherwise a promise for a turn that has some. */
export function timeSlice(): Promise<void> | undefined {
  return hasTime() ? undefined : new Promise(resolve => waiting.push(resolve));
}
