/**
 * Keeps synchronous work short. Each operation calls {@link pace} first: the work of one turn of the event loop may take
 * {@link budget} milliseconds, and whoever comes later waits for the next turn. Without it a loop of awaited operations
 * that never leaves the microtask queue would starve timers and sockets.
 */
import { performance } from 'node:perf_hooks';

const budget = 0.4;

let turnBegan = -1;
let waiting: (() => void)[] = [];

function nextTurn(): void {
  turnBegan = -1;
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

/** Undefined where there is time left in this turn, else a promise for the next one. */
export function pace(): Promise<void> | undefined {
  if (turnBegan < 0) {
    turnBegan = performance.now();
    setImmediate(nextTurn);
    return undefined;
  }
  if (performance.now() - turnBegan < budget) return undefined;
  return new Promise(resolve => waiting.push(resolve));
}
