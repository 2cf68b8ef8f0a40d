/** A file that is locked by processes which are killed. */
import { it } from 'vitest';
import { inSoak } from '../../fixtures/soak.ts';
import { killPairs, killTwice } from './lock-kills.ts';

it('lock-F2: a process killed with SIGKILL after any of its operations, while it breaks the lock of another that was killed, stops nobody', () =>
  killTwice(16));

it('lock-F2: of two processes that wait for the lock of a third that was killed, the second gets it alone when the first is killed', () =>
  killPairs(inSoak(8, 2)));
