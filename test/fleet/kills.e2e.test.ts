/**
 * Replicas and Redis are killed while many questions are open; the full counts are in `kills.soak.test.ts`, and those of slow
 * machines in `kills-hardship.soak.test.ts`.
 */
import { expect, it } from 'vitest';
import { seeded } from '../server/call/crash-claims.ts';
import { redisServer } from '../stores/redis-server.ts';
import { killWhileAsking } from './killed-questions.ts';

/** Ten processes are started, on however busy a machine. */
const STARTS_MS = 900_000;

it.skipIf(!redisServer)(
  '48 questions in both eras and as tasks end once while replicas and Redis are killed, and nobody gets what is another’s',
  async () => {
    const tally = await killWhileAsking({ questions: 48, kills: 4, redisKills: 1, random: seeded(7) });
    expect(tally.charged + tally.surveyed + tally.inDoubt + tally.refused).toBe(48);
    expect(tally.refused).toBeLessThan(48 / 4);
  },
  STARTS_MS,
);
