import type { Json } from '../digest.ts';
import type { Entry } from '../engine/journal.ts';
import { Run } from '../engine/run.ts';
import type { EngineOptions, OpenAsk } from '../engine/seam.ts';

/** A handler that went on while its questions were open runs again, from the top, with the answers that are there. */
export async function again<R>(
  handler: (run: Run<R>) => Promise<R> | R,
  engine: EngineOptions,
  of: Run<R>,
  asks: readonly OpenAsk[],
  answers: ReadonlyMap<string, Json>,
): Promise<Run<R>> {
  const entries = asks.flatMap(({ id, kind, label }): Entry[] => {
    const value = answers.get(id);
    return value === undefined ? [] : [{ id, kind, label, value }];
  });
  const journal = [...of.journal, ...entries];
  await of.suspend();
  return new Run<R>(handler, journal, new Set(entries.map(entry => entry.id)), engine);
}
