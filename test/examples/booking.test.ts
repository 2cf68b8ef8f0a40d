/** The booking server of examples/booking: what a person who takes too long, or says no, leaves behind. */
import { midcall } from '@midcall/server';
import { connectPair, explore, type Scripted, scriptedPerson } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { badDay } from '../../examples/booking/bad-day.ts';
import { bookingServer } from '../../examples/booking/server.ts';
import { corners } from '../fixtures/corners.ts';
import { inSoak } from '../fixtures/soak.ts';

const accept = (content: object) => ({ action: 'accept' as const, content: { ...content } });
const outward = accept({ day: '2027-03-01', return: false });
const seat = (name: string, seat: string) => accept({ name, seat });

describe.each(corners)('%s over %s', (era, carrier) => {
  async function book(answers: (advance: (ms: number) => void) => readonly Scripted[], passengers = 2) {
    let time = 1_000_000;
    const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
    const advance = (ms: number) => {
      time += ms;
      for (const timer of timers) if (timer.at <= time) timer.fn();
    };
    const after = (ms: number, fn: () => void) => {
      const one = { at: time + ms, fn };
      timers.add(one);
      return () => void timers.delete(one);
    };
    const world = badDay();
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, clock: { now: () => time, after } });
    const person = scriptedPerson(answers(advance));
    await using pair = await connectPair(() => bookingServer(mid, world), { era, carrier, person });
    const result = await pair.client.callTool({ name: 'trip_book', arguments: { to: 'Porto', passengers } });
    const ours = [...world.airline.held].filter(([, by]) => by !== 'a stranger');
    return {
      said: (result.content[0] as { text: string }).text,
      ours,
      attempts: world.payments.attempts,
      asked: person.asked,
    };
  }

  it('a booking lets the seats go where the person takes longer than they are held, and charges nothing', async () => {
    const { said, ours, attempts } = await book(advance => [
      outward,
      seat('Ada', '1A'),
      seat('Ben', '1B'),
      () => {
        advance(15 * 60_000 + 1);
        return accept({ value: true });
      },
    ]);
    expect(said).toContain('Nothing was booked: nobody answered in time');
    expect([ours, attempts]).toEqual([[], []]);
  });

  it('a booking lets every seat go where one passenger is refused', async () => {
    const { said, ours } = await book(() => [outward, seat('Ada', '1A'), { action: 'decline' }]);
    expect(said).toContain('Nothing was booked: the person said no');
    expect(ours).toEqual([]);
  });

  it('a booking speaks of one seat in the singular', async () => {
    const { asked } = await book(() => [outward, seat('Ada', '1A'), accept({ value: false })], 1);
    expect(asked.at(-1)!.params['message']).toBe('Pay €119.00 for 1 seat to Porto? You have 15 minutes.');
  });

  it('a booking gives two passengers who choose one seat two seats', async () => {
    const { said, asked } = await book(() => [
      outward,
      seat('Ada', '1A'),
      seat('Ben', '1A'),
      seat('Ben', '1B'),
      accept({ value: false }),
    ]);
    expect(said).toContain('answered without confirming');
    expect(asked.filter(({ params }) => params['message'] === 'Passenger 2 of 2')).toHaveLength(2);
  });
});

it('explore finds nothing broken in the booking', { tags: 'thorough' }, async () => {
  const report = await explore(
    {
      name: 'trip_book',
      server: options => {
        const mid = midcall({ ...options, suspectBelowMs: 0 });
        const world = badDay();
        return () => bookingServer(mid, world);
      },
    },
    { to: 'Porto', passengers: 1 },
    {
      answers: ({ words }) => (words.startsWith('Passenger') ? { name: 'Ada', seat: '1A' } : undefined),
      budget: inSoak(25, 6),
    },
  );
  expect(report.findings, report.text).toEqual([]);
});
