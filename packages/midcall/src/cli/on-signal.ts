/** How commands that serve are ended. */
import { whenOutputGone } from './reader-gone.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops on a signal to end, and ends the process then; a second signal ends it at once.
 * @param stop - receives the signal; undefined if something else ends the command
 * @returns a function that does the same without a signal; a signal after that is the first
 */
export function stopOnSignal(stop: (signal: NodeJS.Signals | undefined) => Promise<void>): () => void {
  let isSignalled = false;
  const end = (signal?: NodeJS.Signals): void => void stop(signal).finally(() => process.exit());
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isSignalled) process.exit(130);
    isSignalled = true;
    end(signal);
  };
  for (const each of endings) process.on(each, onSignal);
  whenOutputGone(() => onSignal('SIGTERM'));
  return () => end();
}
