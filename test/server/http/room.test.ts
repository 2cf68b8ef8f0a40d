import { describe, expect, it } from 'vitest';
import { type Occupant, roomFor } from '../../../packages/server/src/http/room.ts';

let usedAt = 0;
const sessions = (owner: string, ...uses: Occupant['use'][]): Occupant[] =>
  uses.map((use, at) => {
    usedAt += 1;
    return { id: `${owner}${at}`, owner, usedAt, use };
  });
const limits = { max: 6, maxPerOwner: 4 };

describe('who makes room', () => {
  it('is nobody while there is some', () => {
    expect(roomFor('c', [...sessions('a', 'none', 'none'), ...sessions('b', 'none')], limits)).toEqual({});
  });

  it('is the owner with the most sessions, with the one unused for longest', () => {
    const light = sessions('b', 'none', 'none');
    const heavy = sessions('a', 'calls', 'listens', 'none', 'none');
    expect(roomFor('c', [...light, ...heavy], limits)).toEqual({ ends: 'a2' });
  });

  it('is the heaviest with a session that only listens, where the newcomer has fewer', () => {
    const occupants = [...sessions('b', 'none', 'none'), ...sessions('a', 'calls', 'listens', 'listens', 'calls')];
    expect(roomFor('c', occupants, limits)).toEqual({ ends: 'a1' });
  });

  it('is the next one, where the heaviest has calls under way in all of theirs', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls', 'calls'), ...sessions('b', 'calls', 'none')];
    expect(roomFor('c', occupants, limits)).toEqual({ ends: 'b1' });
  });

  it('is nobody who has fewer than the newcomer, or as many', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'none', 'none', 'none')];
    expect(roomFor('a', occupants, limits)).toMatchObject({ refusal: { status: 503 } });
    const lighter = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'none', 'none')];
    expect(roomFor('a', lighter, { max: 5, maxPerOwner: 4 })).toMatchObject({ refusal: { status: 503 } });
  });

  it('is the newcomer, with a session of theirs that nothing uses, and never with one that listens', () => {
    const most = sessions('a', 'listens', 'calls', 'none', 'none');
    expect(roomFor('a', most, limits)).toEqual({ ends: 'a2' });
    expect(roomFor('a', sessions('a', 'listens', 'calls', 'listens', 'calls'), limits)).toMatchObject({
      refusal: { status: 429, retryAfter: 30 },
    });
  });

  it('is nobody, where calls are under way everywhere', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'calls', 'calls', 'calls')];
    expect(roomFor('c', occupants, limits)).toMatchObject({ refusal: { status: 503, code: -32000, retryAfter: 30 } });
  });
});
