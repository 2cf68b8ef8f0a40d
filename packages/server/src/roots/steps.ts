/**
 * Work whose steps may each have to wait, but usually do not. With system calls that return at once, all of it runs
 * synchronously: no promise is made between two steps, no other operation comes between them, and a descriptor is closed in the
 * same turn in which it was opened. With calls that wait, it behaves like an async function.
 *
 * Synchronous work is cut short, or a loop of awaited operations that never leaves the microtask queue would starve timers and
 * sockets. Each operation asks {@link timeSlice} first: the work of one turn of the event loop may take {@link budget}
 * milliseconds, and later operations wait for a turn with time left.
 */
import { performance } from 'node:perf_hooks';

/** A value, or the promise of one. */
export type Now<T> = T | Promise<T>;

/** A generator whose steps are {@link settled}; run it with {@link inOneGo}. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** The value of a step, without waiting if it is already there. */
export function* settled<T>(value: Now<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps up to the first one that must wait, often to the end. Errors before that are thrown synchronously. */
export function inOneGo<T>(steps: Steps<T>): Now<T> {
  const { done, value } = steps.next();
  return done ? value : goOn(steps, value);
}

async function goOn<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first;
  for (;;) {
    const { done, value } = await waiting.then(
      result => steps.next(result),
      error => steps.throw(error),
    );
    if (done) return value;
    waiting = value;
  }
}

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
