/**
 * Puts one question of a call that another process may take over. Its time runs from when any process first asked it, and an
 * answer that an earlier holder of the call received counts.
 */

import { type ClientAsk, fromClient, type OpenQuestion, type Recording, unanswered } from '../questions/index.ts';
import { type Config, HandedOver, type SharedCall } from '../request/index.ts';
import { received } from './received.ts';

const METHOD_NOT_FOUND = -32601;

/**
 * Waits for the outcome of a question; never rejects.
 * @param wait - ends the wait, and withdraws the question
 * @param left - called if it is asked now
 */
export async function askShared(
  { id, detail: { method, params, timeoutMs, withdrawn } }: OpenQuestion<ClientAsk>,
  shared: SharedCall,
  config: Config,
  { wait, left }: { readonly wait: AbortController; readonly left: () => void },
): Promise<Recording | 'disconnected' | 'handed-over'> {
  let late = false;
  let clear = (): void => {};
  const takeBack = (): void => wait.abort(withdrawn?.reason);
  withdrawn?.addEventListener('abort', takeBack, { once: true });
  try {
    const { fresh, elapsedMs, answer } = await shared.put({ id, method, params, timeoutMs }, wait.signal);
    if (fresh) left();
    clear = config.clock.after(Math.max(0, timeoutMs - elapsedMs), () => {
      late = true;
      wait.abort(new Error('The person did not answer in time.'));
    });
    const { response, ms } = await answer;
    // The answer came while no process ran this call.
    if (ms > timeoutMs) return unanswered('timeout', ms);
    if ('error' in response) {
      const { code } = response.error;
      // Some clients declare a capability that they do not have; such a client cannot be asked.
      const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
      return unanswered(why, ms, typeof code === 'number' ? code : undefined);
    }
    const read = received(response.result);
    return read ? fromClient(read.value, ms) : unanswered('error', ms);
  } catch (error) {
    if (late) return unanswered('timeout', timeoutMs);
    if (error instanceof HandedOver) return 'handed-over';
    if (withdrawn?.aborted) return unanswered('error', 0);
    return wait.signal.aborted ? 'disconnected' : unanswered('error', 0);
  } finally {
    withdrawn?.removeEventListener('abort', takeBack);
    clear();
  }
}
