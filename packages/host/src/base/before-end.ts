/** What is done before this process ends, in whatever way that is: removing and restoring what would outlive it. */
import { visible } from '@midcall/core/text';
import { Listeners } from './listeners.ts';

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const acts = new Listeners<void>(error =>
  console.error(`midcall: before the end of this process, something failed: ${visible(String(error), { max: 1_000 })}`),
);

/**
 * Calls `act` when this process exits, and when a signal ends it because nobody else listens for that. One that throws is said on
 * standard error, and keeps none of the others from being called.
 * @returns a function that takes it back
 */
export function beforeEnd(act: () => void): () => void {
  if (acts.size === 0) {
    process.on('exit', actAll);
    // First in line: a listener that listens only once is not counted any more when its turn has come.
    for (const signal of endings) process.prependListener(signal, endedBySignal);
  }
  const takeBack = acts.add(act);
  return () => {
    takeBack();
    if (acts.size > 0) return;
    process.off('exit', actAll);
    for (const signal of endings) process.off(signal, endedBySignal);
  };
}

function actAll(): void {
  acts.tell();
}

function endedBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  actAll();
  process.off(signal, endedBySignal);
  process.kill(process.pid, signal);
}
