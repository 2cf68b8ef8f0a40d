/** What must hold of a flow whose processes were killed; shared by the reduced and the full crash test. */
import { expect } from 'vitest';
import { textOf } from '../raw-client.ts';
import { Crashing, type Flow, MOST_POINTS, type Mode } from './crashing.ts';

const all = ['one', 'two', 'three'];

function expectKept(flow: Flow, mode: Mode): void {
  const text = flow.reply ? textOf(flow.reply) : '';
  // Never twice, in any mode, whatever was killed; and never without the audit having said so before.
  expect(flow.effects, flow.name).toEqual([...new Set(flow.effects)]);
  for (const effect of flow.effects) expect(flow.begun, flow.name).toContain(effect);
  if (!flow.reply) return;
  if (mode !== 'plain' || text.startsWith('done')) {
    expect(text, flow.name).toBe('done one,two,three');
    expect(flow.effects, flow.name).toEqual(all);
    return;
  }
  // In doubt is exactly one step, the first whose end was not recorded; nothing after it was begun.
  const doubtful = /In doubt: (\w+)\./.exec(text)?.[1] as string;
  expect(flow.reply.result?.isError, text).toBe(true);
  const before = all.slice(0, all.indexOf(doubtful));
  expect(text).toContain(before.length > 0 ? `Done: ${before.join(', ')}.` : 'In doubt');
  expect([before, [...before, doubtful]], flow.name).toContainEqual(flow.effects);
  // Killed before the audit was written, the step is in doubt all the same, and its effect did not take place.
  const unknown = flow.begun.filter(step => !flow.ended.includes(step));
  expect([[], [doubtful]], flow.name).toContainEqual(unknown);
}

export interface Tally {
  readonly kills: number;
  readonly done: number;
  readonly inDoubt: number;
  readonly notRetried: number;
}

/**
 * Kills processes until `kills` have died.
 * @param random - whole numbers from 1 to its argument
 */
export async function crash(mode: Mode, kills: number, random: (most: number) => number): Promise<Tally> {
  const crashing = new Crashing(mode);
  const tally = { kills: 0, done: 0, inDoubt: 0, notRetried: 0 };
  try {
    while (tally.kills < kills) {
      const abandoned = random(10) === 1;
      const flow = await crashing.flow(
        Array.from({ length: random(2) }, () => random(MOST_POINTS)),
        abandoned,
      );
      expectKept(flow, mode);
      tally.kills += flow.kills;
      if (!flow.reply) {
        tally.notRetried++;
        const unknown = flow.effects.filter(effect => !flow.ended.includes(effect));
        for (const effect of unknown) expect(flow.begun).toContain(effect);
      } else if (textOf(flow.reply).startsWith('done')) tally.done++;
      else tally.inDoubt++;
    }
  } finally {
    await crashing.stop();
  }
  return tally;
}

/** A small generator, so that a failure can be run again from its seed. */
export function seeded(seed: number): (most: number) => number {
  let state = seed;
  return most => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * most);
  };
}
