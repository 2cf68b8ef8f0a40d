/** What a step promises, kept under `kill -9`; the full count is crash.soak.test.ts. Needs the build. */
import { describe, expect, it } from 'vitest';
import { few } from '../../fixtures/soak.ts';
import { textOf } from '../raw-client.ts';
import { crash, seeded } from './crash-claims.ts';
import { Crashing } from './crashing.ts';

describe('a server killed while it works', () => {
  it.each(few(['plain', 'idempotent', 'check'], 'plain', 'idempotent'))(
    'a server killed while it works keeps what a step promises: %s',
    async mode => {
      const tally = await crash(mode, 2, seeded(2026));
      if (mode !== 'plain') expect(tally.inDoubt).toBe(0);
    },
  );

  it('elicit-29: a call goes on after a restart between the rounds, with a configured key', async () => {
    const crashing = new Crashing('plain');
    const flow = await crashing.flow([]);
    expect(textOf(flow.reply!)).toBe('done one,two,three');
    expect(flow.effects).toEqual(['one', 'two', 'three']);
    await crashing.stop();
  });
});
