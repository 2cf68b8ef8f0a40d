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
  it('nobody makes room while there is some', () => {
    expect(roomFor('c', [...sessions('a', 'none', 'none'), ...sessions('b', 'none')], limits)).toEqual({});
  });

  it('the owner with the most sessions makes room, with the one unused for longest', () => {
    const light = sessions('b', 'none', 'none');
    const heavy = sessions('a', 'calls', 'listens', 'none', 'none');
    expect(roomFor('c', [...light, ...heavy], limits)).toEqual({ ends: 'a2' });
  });

  it('the heaviest owner makes room with a session that only listens, where the newcomer has fewer', () => {
    const occupants = [...sessions('b', 'none', 'none'), ...sessions('a', 'calls', 'listens', 'listens', 'calls')];
    expect(roomFor('c', occupants, limits)).toEqual({ ends: 'a1' });
  });

  it('the next owner makes room where the heaviest has calls under way in all sessions', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls', 'calls'), ...sessions('b', 'calls', 'none')];
    expect(roomFor('c', occupants, limits)).toEqual({ ends: 'b1' });
  });

  it('an owner with fewer sessions than the newcomer, or as many, makes no room', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'none', 'none', 'none')];
    expect(roomFor('a', occupants, limits)).toMatchObject({ refusal: { status: 503 } });
    const lighter = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'none', 'none')];
    expect(roomFor('a', lighter, { max: 5, maxPerOwner: 4 })).toMatchObject({ refusal: { status: 503 } });
  });

  it('the newcomer with the most sessions makes room with one that nothing uses, and never with one that listens', () => {
    const most = sessions('a', 'listens', 'calls', 'none', 'none');
    expect(roomFor('a', most, limits)).toEqual({ ends: 'a2' });
    expect(roomFor('a', sessions('a', 'listens', 'calls', 'listens', 'calls'), limits)).toMatchObject({
      refusal: { status: 429, retryAfter: 30 },
    });
  });

  it('nobody makes room where calls are under way everywhere', () => {
    const occupants = [...sessions('a', 'calls', 'calls', 'calls'), ...sessions('b', 'calls', 'calls', 'calls')];
    expect(roomFor('c', occupants, limits)).toMatchObject({ refusal: { status: 503, code: -32000, retryAfter: 30 } });
  });
});
