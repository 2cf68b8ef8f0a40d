/** Hosts that are killed while they make a call that the person was asked about, in full counts: `MIDCALL_KILLS`. */
import { expect, it } from 'vitest';
import { killCallers } from './killed-callers.ts';

const kills = Number(process.env['MIDCALL_KILLS'] ?? 200);

it(`approvals-A6: of ${kills} calls whose host is killed with SIGKILL, each has run once, has not run, or is in doubt, and the same call made again says which`, async () => {
  const ways = await killCallers(kills);
  expect([...ways.keys()].sort()).toEqual(['executed', 'in-doubt', 'not-executed']);
});
