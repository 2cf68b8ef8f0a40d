/** Tickets, sessions and the vault across real processes, some of them killed. */
import { describe, it } from 'vitest';
import { kinds, onShared } from './shared-store.ts';
import { killAtPages, raceForTickets } from './ticket-processes.ts';

describe.each(kinds)('%s', kind => {
  it('page-ticket-T2: processes race for one ticket after the other: each has exactly one winner', () =>
    onShared(kind, shared => raceForTickets(shared, { racers: 5, rounds: 40 })));

  it('processes killed with SIGKILL at pages, sessions and secrets: nothing half-written, nothing spent twice', () =>
    onShared(kind, shared => killAtPages(shared, { kills: 6, atOnce: 3, tickets: 60 })));
});
