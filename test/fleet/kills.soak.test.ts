/** What a fleet keeps while it is killed, at full count: 10,000 questions, 200 kills of replicas, 20 of Redis. */
import { expect, it } from 'vitest';
import { seeded } from '../server/call/crash-claims.ts';
import { killWhileAsking } from './killed-questions.ts';

const countOf = (name: string, count: number): number => Number(process.env[name] ?? count);

it('10,000 questions end once, with no effect twice, every doubt told and no answer with somebody else', async () => {
  const seed = countOf('MIDCALL_SEED', 7);
  const questions = countOf('MIDCALL_QUESTIONS', 10_000);
  const begun = performance.now();
  const tally = await killWhileAsking({
    questions,
    kills: countOf('MIDCALL_KILLS', 200),
    redisKills: countOf('MIDCALL_REDIS_KILLS', 20),
    random: seeded(seed),
  });
  console.log(`seed ${seed}: ${JSON.stringify(tally)} in ${Math.round((performance.now() - begun) / 1_000)} s`);
  expect(tally.charged + tally.surveyed + tally.inDoubt + tally.refused).toBe(questions);
  expect(tally.refused).toBeLessThan(questions / 4);
});
