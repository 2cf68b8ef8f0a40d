/** Runs the booking of docs/elicitation.md: the seat that a call has booked is taken, and the call goes on. */
import { midcall } from '@midcall/server';
import { connectPair, eras, explore, scriptedPerson } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { flightServer, type Plane } from '../../examples/docs/booking.ts';
import { inSoak } from '../fixtures/soak.ts';

const accept = (content: object) => ({ action: 'accept' as const, content: { ...content } });

function plane(taken: readonly string[] = []) {
  const seats = new Map<string, string>(taken.map(seat => [seat, 'another']));
  const looked: string[] = [];
  const of: Plane = {
    async isFree(seat) {
      looked.push(seat);
      return !seats.has(seat);
    },
    async book(seat, key) {
      if ((seats.get(seat) ?? key) !== key) throw new Error(`${seat} is taken.`);
      seats.set(seat, key);
    },
  };
  return { of, seats, looked };
}

describe.each(eras)('%s', era => {
  it('the booking takes the seat that is free, looks once for each answer, and asks on', async () => {
    const { of, seats, looked } = plane(['1A']);
    const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
    const person = scriptedPerson([accept({ seat: '1A' }), accept({ seat: '12C' }), accept({ value: true })]);
    await using pair = await connectPair(() => flightServer(mid, of), { era, person });
    const { content } = await pair.client.callTool({ name: 'seat_book', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'Booked 12C with a meal.' }]);
    expect(person.asked[1]?.params['message']).toContain('This seat is taken.');
    expect(looked).toEqual(['1A', '12C']);
    expect([...seats.keys()]).toEqual(['1A', '12C']);
  });
});

it('explore finds nothing broken in the booking', { tags: 'thorough' }, async () => {
  let world = plane();
  const report = await explore(
    {
      name: 'seat_book',
      server: options => {
        world = plane();
        const mid = midcall({ ...options, suspectBelowMs: 0 });
        return () => flightServer(mid, world.of);
      },
    },
    {},
    { answers: ({ words }) => (words.startsWith('Which') ? { seat: '12C' } : undefined), budget: inSoak(60, 12) },
  );
  expect(report.findings, report.text).toEqual([]);
  expect(report.outside, report.text).toEqual([]);
});
