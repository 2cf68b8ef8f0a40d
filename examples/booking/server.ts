/**
 * A booking server: questions that depend on answers, a loop over passengers, seats that others take meanwhile, a payment
 * that is tried again, and time limits. Nothing in it knows which revision a client speaks, or what carries it.
 */
import { type Answer, type Call, type Midcall, whyNot } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Airline } from './airline.ts';
import type { PaymentService } from './payment-service.ts';

export interface BookingOptions {
  readonly airline: Airline;
  readonly payments: PaymentService;
  /** Milliseconds for which seats are held while the person decides; 15 minutes where absent. */
  readonly holdMs?: number;
  /** Milliseconds the payment service may take for one attempt; 10 seconds where absent. */
  readonly chargeMs?: number;
}

const CENTS_PER_SEAT = 11_900;

const day = (title: string) => ({ type: 'string', format: 'date', title }) as const;
const notBooked = (answer: Answer<unknown>) => `Nothing was booked: ${whyNot(answer)}`;
const euros = (cents: number) => `€${(cents / 100).toFixed(2)}`;

export function bookingServer(mid: Midcall, options: BookingOptions): McpServer {
  const { airline, payments, holdMs = 15 * 60_000, chargeMs = 10_000 } = options;
  const server = new McpServer({ name: 'example-booking', title: 'Flights', version: '1.0.0' });

  // #region dates
  /** Both days; the second is asked only for a return flight, and the person sees both before they send them. */
  const askDates = (call: Call, to: string) =>
    call.wizard({
      message: `A flight to ${to}`,
      forms: {
        out: {
          title: 'Departure',
          form: { day: day('Day'), return: { type: 'boolean', title: 'With a return flight' } },
        },
        back: { title: 'Return', when: { form: 'out', field: 'return', is: true }, form: { day: day('Day') } },
      },
      validate: {
        back: ({ day }, { out }) => (day > out!.day ? undefined : { day: `Choose a day after ${out!.day}.` }),
      },
    });
  // #endregion

  // #region passenger
  /** Asks until the seat is held: others may take it while the person chooses, and even after that. */
  async function seatPassenger(call: Call, trip: string, passenger: string) {
    for (;;) {
      const free = await call.step(`free seats, ${passenger}`, () => airline.freeSeats());
      const answer = await call.elicit({
        message: passenger,
        form: {
          name: { type: 'string', title: 'Name in the passport', minLength: 1 },
          seat: { type: 'string', title: 'Seat', enum: free },
        },
        validate: async ({ seat }) =>
          (await airline.isFree(seat)) ? undefined : { seat: `Seat ${seat} has just been taken.` },
      });
      if (answer.action !== 'accept') return answer;
      const { seat } = answer.content;
      const hold = () => airline.hold(seat, trip, passenger);
      if (await call.step(`hold, ${passenger}`, hold, { idempotent: true, effect: true })) return answer;
    }
  }
  // #endregion

  // #region pay
  /** Tried again where the service is busy or silent. One key for all attempts, so the service charges once. */
  const charge = (call: Call, cents: number) =>
    call.step('charge', ({ key, signal }) => payments.charge({ key, cents, signal }), {
      idempotent: true,
      effect: true,
      timeoutMs: chargeMs,
      retry: { attempts: 4, delayMs: 100 },
    });
  // #endregion

  // #region book
  mid.tool(
    server,
    'trip_book',
    {
      description: 'Books a flight for up to 20 passengers. Asks the person for everything else.',
      inputSchema: z.strictObject({ to: z.string().min(1).max(80), passengers: z.int().min(1).max(20) }),
    },
    async ({ to, passengers }, call) => {
      const dates = await askDates(call, to);
      if (dates.action !== 'accept') return notBooked(dates);

      const trip = await call.uuid();
      const giveUp = async (why: string) => {
        await call.step('release', () => airline.release(trip), { idempotent: true });
        return why;
      };

      const names = Array.from({ length: passengers }, (_, index) => `Passenger ${index + 1} of ${passengers}`);
      const answers = await Promise.all(names.map(name => seatPassenger(call, trip, name)));
      const refused = answers.find(answer => answer.action !== 'accept');
      if (refused) return giveUp(notBooked(refused));

      const seats = passengers === 1 ? '1 seat' : `${passengers} seats`;
      const cents = passengers * CENTS_PER_SEAT;
      const payment = await call.elicit({
        message: `Pay ${euros(cents)} for ${seats} to ${to}? You have ${holdMs / 60_000} minutes.`,
        form: Boolean,
        timeoutMs: holdMs,
      });
      if (payment.action !== 'accept' || !payment.content) return giveUp(notBooked(payment));

      try {
        const receipt = await charge(call, cents);
        const number = await call.step('issue', () => airline.issue(trip), { idempotent: true, effect: true });
        return `Booked ${number}: ${seats} to ${to}, receipt ${receipt}.`;
      } catch (error) {
        return giveUp(`Nothing was booked: ${(error as Error).message}`);
      }
    },
  );
  // #endregion

  mid.tool(server, 'seats_taken', { annotations: { readOnlyHint: true } }, () => {
    const strangers = [...airline.held].filter(([, by]) => by === 'a stranger').map(([seat]) => seat);
    const ours = airline.held.size - strangers.length;
    const attempts = payments.attempts.reduce((sum, each) => sum + each, 0);
    return `Ours: ${ours}. Strangers': ${strangers.join(', ') || 'none'}. Attempts to charge: ${attempts}.`;
  });
  return server;
}
