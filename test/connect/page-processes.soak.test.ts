/** Pages, sessions and the vault across real processes, in full counts. */
import { describe, it } from 'vitest';
import { killAtPages, raceForPages } from './page-processes.ts';
import { kinds, onShared } from './shared-store.ts';

describe.each(kinds)('%s', kind => {
  it('page-record-R2: processes race for one page after the other: each has exactly one winner', () =>
    onShared(kind, shared => raceForPages(shared, { racers: 64, rounds: 10_000 })));

  it('processes killed with SIGKILL at pages, sessions and secrets leave nothing half-written and spend nothing twice', () =>
    onShared(kind, shared => killAtPages(shared, { kills: 500, atOnce: 6, pages: 3_000 })));
});
