/** What a step promises, at full count: 600 processes killed with SIGKILL on one SQLite file per mode. */
import { expect, it } from 'vitest';
import { crash, seeded } from './crash-claims.ts';

it.concurrent.each(['plain', 'idempotent', 'check'] as const)(
  'a killed server keeps what a step promises through 200 kills: %s',
  async mode => {
    const seed = Number(process.env['MIDCALL_SEED'] ?? 7);
    const tally = await crash(mode, Number(process.env['MIDCALL_KILLS'] ?? 200), seeded(seed));
    console.log(`${mode}, seed ${seed}: ${JSON.stringify(tally)}`);
    if (mode === 'plain') expect(tally.inDoubt).toBeGreaterThan(0);
    else expect(tally.inDoubt).toBe(0);
  },
);
