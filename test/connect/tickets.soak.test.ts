/** Tickets, sessions and the vault across real processes, in full counts. */
import { describe, it } from 'vitest';
import { kinds, onShared } from './shared-store.ts';
import { killAtPages, raceForTickets } from './ticket-processes.ts';

describe.each(kinds)('%s', kind => {
  it('page-ticket-T2: processes race for one ticket after the other: each has exactly one winner', () =>
    onShared(kind, shared => raceForTickets(shared, { racers: 64, rounds: 10_000 })));

  it('processes killed with SIGKILL at pages, sessions and secrets: nothing half-written, nothing spent twice', () =>
    onShared(kind, shared => killAtPages(shared, { kills: 500, atOnce: 6, tickets: 3_000 })));
});
