/**
 * Work whose steps may each have to wait, and mostly need not. With system calls that answer at once, all of it runs in
 * one go: no promise is made between two steps, no other operation comes between them, and a descriptor is closed in the
 * same breath in which it was opened. With calls that wait, it is an async function by another name.
 */

/** A value, or the promise of one. */
export type Now<T> = T | Promise<T>;

/** A generator whose steps are {@link settled}; run it with {@link inOneGo}. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** The value of a step: what is there already is not waited for. */
export function* settled<T>(value: Now<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps to the first that has to wait, which is often their end. What they throw until then is thrown. */
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
