/** The booking of docs/elicitation.md: a form whose schema looks at the world, and a handler that changes it. */

import { form, type Midcall, whyNot } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export interface Plane {
  isFree(seat: string): Promise<boolean>;
  /** Books at most once for each key. */
  book(seat: string, key: string): Promise<void>;
}

export function flightServer(mid: Midcall, plane: Plane) {
  const server = new McpServer({ name: 'flights', version: '1.0.0' });

  // #region booking
  const seatForm = form(
    z.object({
      seat: z
        .string()
        .regex(/^\d{1,2}[A-F]$/, 'A seat is a row and a letter, such as 12A.')
        .refine(seat => plane.isFree(seat), 'This seat is taken.')
        .meta({ title: 'Seat' }),
    }),
  );

  mid.tool(server, 'seat_book', {}, async (_args, call) => {
    const answer = await call.elicit({ message: 'Which seat?', form: seatForm });
    if (answer.action !== 'accept') return text(`No seat was booked: ${whyNot(answer)}`);
    const { seat } = answer.content;
    await call.step('book', ({ key }) => plane.book(seat, key), { idempotent: true, effect: true });
    const meal = await call.elicit({ message: `Seat ${seat} is yours. With a meal?`, form: Boolean });
    return text(`Booked ${seat}${meal.action === 'accept' && meal.content ? ' with a meal' : ''}.`);
  });
  // #endregion
  return server;
}
