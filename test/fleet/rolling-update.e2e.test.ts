/** Replicas of two versions of a server at once, while questions are open that the older one asked. */
import { expect, it } from 'vitest';
import { grown } from '../fixtures/grown.ts';
import { redisServer } from '../stores/redis-server.ts';
import { startKilledFleet } from './killed-fleet.ts';
import { type Answer, callers, kinds } from './killed-questions.ts';

/** Ten processes are started, on however busy a machine. */
const STARTS_MS = 900_000;

it.skipIf(!redisServer)(
  'replicas are replaced one by one by those of another version while persons think, in both eras and as tasks: nothing is lost or in doubt',
  async () => {
    // No replica dies, however slow it is: each is told to end.
    await using fleet = await startKilledFleet(3, { presenceMs: 3_600_000 });
    const asked: string[] = [];
    const open: (() => void)[] = [];
    const results: Promise<string>[] = [];
    for (const kind of kinds) {
      const ask = (message: string): Promise<Answer> =>
        new Promise(resolve => {
          open.push(() => resolve({ action: 'accept', content: { say: kind } }));
          asked.push(message);
        });
      const call = await callers[kind](fleet, kind, ask);
      if (kind === 'task') results.push(call('charge-task', `o-${kind}`));
      else results.push(call('charge', `o-${kind}`), call('survey', `s-${kind}`));
    }
    await grown(asked, list => list.length === 5);
    await fleet.update(0, '2');
    // Two versions serve now. The surveys go on, at whichever replica takes their answers.
    const surveys = asked.flatMap((message, at) => (message.startsWith('The first') ? [at] : []));
    for (const at of surveys) open[at]!();
    await grown(asked, list => list.length === 7);
    await fleet.update(1, '2');
    await fleet.update(2, '2');
    for (const say of open) say();
    expect((await Promise.all(results)).sort()).toEqual(
      [
        ...kinds.map(kind => `Charged o-${kind}: ${kind}`),
        ...['session', 'rounds'].map(kind => `Surveyed s-${kind}: ${kind} ${kind}`),
      ].sort(),
    );
    expect([...fleet.effects()].sort()).toEqual(kinds.map(kind => `o-${kind} ${kind}`).sort());
  },
  STARTS_MS,
);
