import type { Json } from '../base/index.ts';
import { type EngineOptions, type Entry, type OpenAsk, Run } from '../engine/index.ts';
import type { CallRun, Outgoing, Recording } from '../questions/index.ts';
import type { Config } from '../request/index.ts';

/**
 * Takes the recordings of a round to its run. A handler that continued while its questions were open runs again from the top with
 * them, and so does every handler in strict mode.
 * @returns the run that continues
 */
export async function settleRound<R>(
  run: CallRun<R>,
  asks: readonly OpenAsk<Outgoing>[],
  recordings: ReadonlyMap<string, Recording>,
  handler: (run: CallRun<R>) => Promise<R> | R,
  engine: EngineOptions,
  config: Pick<Config, 'strict'>,
): Promise<CallRun<R>> {
  if (!run.outran && !config.strict) {
    run.settle(recordings);
    return run;
  }
  const entries = entriesOf(asks, recordings);
  const journal = [...run.journal, ...entries];
  await run.suspend();
  return new Run<R, Outgoing>(handler, journal, new Set(entries.map(entry => entry.id)), engine);
}

/** What the journal stores for the questions that have a recording. */
export const entriesOf = (
  asks: readonly OpenAsk<Outgoing>[],
  recordings: ReadonlyMap<string, Recording>,
): readonly Entry[] =>
  asks.flatMap(({ id, kind, label }) => {
    const value: Json | undefined = recordings.get(id);
    return value === undefined ? [] : [{ id, kind, label, value }];
  });
