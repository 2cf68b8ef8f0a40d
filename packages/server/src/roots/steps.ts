/**
 * Work whose steps may each have to wait, but usually do not. With system calls that return at once, all of it runs
 * synchronously: no promise is made between two steps, no other operation comes between them, and a descriptor is closed in the
 * same turn in which it was opened. With calls that wait, it behaves like an async function.
 */

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
