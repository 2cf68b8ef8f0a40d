/** What a fleet keeps while it is killed and everything is slow, many times: `MIDCALL_ROUNDS` of each hardship. */
import { describe, expect, it } from 'vitest';
import { seeded } from '../server/call/crash-claims.ts';
import { redisServer } from '../stores/redis-server.ts';
import type { Hardship } from './hardship.ts';
import { killWhileAsking } from './killed-questions.ts';

const rounds = Number(process.env['MIDCALL_ROUNDS'] ?? 25);
const hardships: readonly Hardship[] = ['busy', 'slow-disk', 'faltering', 'stopped'];
const only = process.env['MIDCALL_HARDSHIP'];
const patienceMs = Number(process.env['MIDCALL_PATIENCE_MS'] ?? 300_000);

describe.skipIf(!redisServer).each(hardships.filter(each => only === undefined || only === each))('%s', hardship => {
  it(`48 questions end once while replicas and Redis are killed, ${rounds} times`, async () => {
    const first = Number(process.env['MIDCALL_SEED'] ?? 1);
    for (let seed = first; seed < first + rounds; seed += 1) {
      const begun = performance.now();
      const tally = await killWhileAsking({
        questions: 48,
        kills: 4,
        redisKills: 1,
        random: seeded(seed),
        hardship,
        patienceMs,
      });
      console.log(
        `${hardship}, seed ${seed}: ${JSON.stringify(tally)} in ${Math.round((performance.now() - begun) / 1_000)} s`,
      );
      expect(tally.charged + tally.surveyed + tally.inDoubt + tally.refused).toBe(48);
    }
  });
});
