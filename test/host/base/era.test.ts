/** What a revision does differently on the host's side; see packages/host/src/base/era.ts. */
import { describe, expect, it } from 'vitest';
import {
  callsOutliveProcess,
  eraOf,
  hasElicitationIds,
  hearsRootsChanged,
  negotiationOf,
  samplesSingleBlock,
  serverSendsRequests,
} from '../../../packages/host/src/base/era.ts';

describe('the era of a connection', () => {
  it.each([
    [undefined, '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2025-06-18', '2025-11-25'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2026-07-28'],
    ['2027-03-01', '2026-07-28'],
  ])('the revision %s is of the era %s', (revision, era) => {
    expect(eraOf(revision)).toBe(era);
  });

  it('every question of fact has one answer for pushed questions and the other for rounds', () => {
    const facts = [serverSendsRequests, hasElicitationIds, samplesSingleBlock, hearsRootsChanged];
    expect(facts.map(fact => [fact('2025-11-25'), fact('2026-07-28')])).toEqual(facts.map(() => [true, false]));
    expect([callsOutliveProcess('2025-11-25'), callsOutliveProcess('2026-07-28')]).toEqual([false, true]);
  });

  it('the revision with rounds is pinned, and the other is left to the handshake', () => {
    expect(negotiationOf('auto')).toBe('auto');
    expect(negotiationOf('2025-11-25')).toBe('legacy');
    expect(negotiationOf('2026-07-28')).toEqual({ pin: '2026-07-28' });
  });
});
