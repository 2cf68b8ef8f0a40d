/** `fetch` without a warning that concerns the benches alone. */
import { setMaxListeners } from 'node:events';

/**
 * The SDK's client gives every request the same signal, and Node's `fetch` listens to it until the request is collected as
 * garbage. Node warns of more than 1,500 listeners unless their number is set.
 */
export function quietFetch(url, init) {
  if (init?.signal) setMaxListeners(0, init.signal);
  return fetch(url, init);
}
