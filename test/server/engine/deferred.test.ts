/** What `call.defer` was given, and the signal a call ends with. */
import { expect, it } from 'vitest';
import { Deferred, type RunOutcome } from '../../../packages/server/src/engine/deferred.ts';
import { RunSignal } from '../../../packages/server/src/engine/run.ts';

it('cleanups run one after the other, the last one first, and each is told how the run ended', async () => {
  const log: string[] = [];
  const deferred = new Deferred({});
  for (const name of ['first', 'second'])
    deferred.add(async end => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name}: ${end}`);
    });
  await deferred.runAll('suspended');
  expect(log).toEqual(['second begins', 'second: suspended', 'first begins', 'first: suspended']);
  await deferred.runAll('suspended');
  expect(log).toHaveLength(4);
});

it('a run has one end: what comes later is told the same', async () => {
  const ends: RunOutcome[] = [];
  const deferred = new Deferred({});
  await deferred.runAll('cancelled');
  deferred.add(end => void ends.push(end));
  await deferred.runAll('failed');
  await deferred.run(end => void ends.push(end));
  expect(ends).toEqual(['cancelled', 'cancelled']);
});

it('a cleanup that throws keeps no other from running, and is told where somebody listens', async () => {
  const failed: unknown[] = [];
  const ran: string[] = [];
  for (const told of [undefined, (error: unknown) => void failed.push(error)]) {
    const deferred = new Deferred(told ? { onDeferError: told } : {});
    deferred.add(() => void ran.push('ran'));
    deferred.add(() => {
      throw new Error('no disk');
    });
    await deferred.runAll('done');
  }
  expect(ran).toEqual(['ran', 'ran']);
  expect(failed).toEqual([new Error('no disk')]);
});

it('a run knows the code of a cleanup as its own, also after an await, and no other', async () => {
  const known: boolean[] = [];
  const deferred = new Deferred({});
  deferred.add(async () => {
    known.push(Deferred.running);
    await Promise.resolve();
    known.push(Deferred.running);
  });
  await deferred.runAll('done');
  expect([...known, Deferred.running]).toEqual([true, true, false]);
});

it('the signal of a run fires with its reason, whether it was looked at before or is looked at after', () => {
  const [before, after] = [new RunSignal(), new RunSignal()];
  const { signal } = before;
  expect(signal.aborted).toBe(false);
  for (const each of [before, after]) each.abort('why');
  for (const each of [signal, after.signal]) expect([each.aborted, each.reason]).toEqual([true, 'why']);
  expect(before.signal).toBe(signal);
});
