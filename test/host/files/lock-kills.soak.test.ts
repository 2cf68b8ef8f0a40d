/** A file that is locked by processes which are killed, in full counts. */
import { it } from 'vitest';
import { killPairs, killTwice } from './lock-kills.ts';

const kills = Number(process.env['MIDCALL_KILLS'] ?? 500);

it(`lock-F2: ${kills} double kills with SIGKILL, of a process that has the lock and of one that breaks it, stop nobody`, () =>
  killTwice(kills));

it('lock-F2: 100 times, of two processes that wait for the lock of a third that was killed, the second gets it alone when the first is killed', () =>
  killPairs(100));
