/** The wizard of docs/elicitation.md. */
import { type Midcall, whyNot } from '@midcall/server';
import type { McpServer } from '@modelcontextprotocol/server';

export function addTrips(server: McpServer, mid: Midcall, isFree: (seat: string) => boolean): void {
  // #region tool
  mid.tool(server, 'trip_plan', { description: 'Plans a trip with the person.' }, async (_args, call) => {
    const answer = await call.wizard({
      message: 'A trip to Porto.',
      forms: {
        dates: {
          title: 'Dates',
          form: {
            day: { type: 'string', format: 'date', title: 'Departure' },
            return: { type: 'boolean', title: 'With a return flight' },
          },
        },
        back: {
          title: 'Return',
          when: { form: 'dates', field: 'return', is: true },
          form: { day: { type: 'string', format: 'date', title: 'Return' } },
        },
        seat: { title: 'Seat', form: { seat: ['1A', '1B', '2A', '2B'] } },
      },
      validate: {
        back: ({ day }, { dates }) => (day > dates!.day ? undefined : { day: 'Choose a day after the departure.' }),
        seat: ({ seat }) => (isFree(seat) ? undefined : { seat: `${seat} has just been taken.` }),
      },
    });
    if (answer.action !== 'accept') return `No trip was planned: ${whyNot(answer)}`;
    const { dates, back, seat } = answer.content;
    return `Seat ${seat.seat}, out on ${dates.day}, ${back ? `back on ${back.day}` : 'one way'}.`;
  });
  // #endregion
}
