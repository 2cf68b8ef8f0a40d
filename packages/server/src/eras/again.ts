import type { Json } from '../base/index.ts';
import { type EngineOptions, type Entry, Run } from '../engine/index.ts';
import type { CallRun, OpenQuestion, Outgoing, Recording } from '../questions/index.ts';

/** A handler that continued while its questions were open runs again, from the top, with the available answers. */
export async function again<R>(
  handler: (run: CallRun<R>) => Promise<R> | R,
  engine: EngineOptions,
  of: CallRun<R>,
  asks: readonly OpenQuestion[],
  answers: ReadonlyMap<string, Recording>,
): Promise<CallRun<R>> {
  const entries = asks.flatMap(({ id, kind, label }): Entry[] => {
    const value = answers.get(id) as Json | undefined;
    return value === undefined ? [] : [{ id, kind, label, value }];
  });
  const journal = [...of.journal, ...entries];
  await of.suspend();
  return new Run<R, Outgoing>(handler, journal, new Set(entries.map(entry => entry.id)), engine);
}
