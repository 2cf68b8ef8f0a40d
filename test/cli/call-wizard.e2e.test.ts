/** A wizard in a real pseudo-terminal: forwards, back with what was typed, a form that depends on another, and the end in the middle. */
import { describe, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { travelCommand } from '../fixtures/travel-server.ts';
import { down, enter, interrupt, terminal } from './tty.ts';

type Terminal = ReturnType<typeof terminal>;

const { command, args } = travelCommand();
const planning = (era: string): Terminal => terminal(['trip_plan', '--era', era], {}, [command, ...args]);

/** Each step waits for what it answers, so that no key comes too early. */
async function answer(tty: Terminal, ...steps: readonly (readonly [string, string])[]): Promise<void> {
  for (const [shown, keys] of steps) {
    await tty.until(shown);
    tty.type(keys);
  }
}

const open = ['What do you want to do?', enter] as const;
const send = ['Send it?', enter] as const;

describe.each(few(['2025', '2026'], '2026'))('a wizard in a terminal, %s', era => {
  it('wizard-W2, wizard-W4: a wizard goes back to the form that was wrong, where everything typed stands, and ends with all of it', async () => {
    const tty = planning(era);
    await answer(tty, ['Step 1 of 2: Dates', ''], open, [
      'Departure (required, a date such as 2026-12-31)',
      `2027-12-01${enter}`,
    ]);
    await answer(tty, ['With a return flight (required)', down + enter], send);
    await answer(
      tty,
      ['Step 2 of 3: Return', ''],
      open,
      ['Return (required, a date such as 2026-12-31)', `2027-03-08${enter}`],
      send,
    );
    await answer(tty, ['The last answer did not fit. Choose a day after the departure.', '']);
    await answer(tty, ['What do you want to do?', down], ['● Change: Dates', enter]);
    await answer(tty, ['Step 1 of 3: Dates', ''], open, ['2027-12-01', '\u007f'.repeat(5)], ['2027-1', '']);
    await answer(tty, ['2027-', `03-01${enter}`], ['● Yes', enter], send);
    await answer(tty, ['Step 3 of 3: Seat', ''], ['What do you want to do?', down + down], ['● Change: Return', enter]);
    await answer(tty, ['Step 2 of 3: Return', ''], open, ['2027-03-08', enter], send);
    await answer(tty, ['Step 3 of 3: Seat', ''], open, ['(nothing chosen yet)', down + down + enter], send);
    await answer(tty, ['Check your answers.', ''], ['Return: Return: 2027-03-08', ''], ['Seat: Seat: 1B', '']);
    await answer(tty, open, ['(nothing chosen yet)', down + enter], send);
    await tty.until('Seat 1B, out on 2027-03-01, back on 2027-03-08.');
    expect(await tty.ended).toBe(0);
  });

  it('a wizard ends in the middle where the person declines, and plans nothing', async () => {
    const tty = planning(era);
    await answer(tty, ['Step 1 of 2: Dates', ''], open, [
      'Departure (required, a date such as 2026-12-31)',
      `2027-03-01${enter}`,
    ]);
    await answer(tty, ['With a return flight (required)', down + down + enter], send);
    await answer(
      tty,
      ['Step 2 of 2: Seat', ''],
      open,
      ['(nothing chosen yet)', down + down + enter],
      ['Send it?', interrupt],
    );
    await answer(tty, ['Seat (required)', interrupt], ['Leave this question?', '']);
    await answer(tty, ['Go on', down + down], ['● Change: Dates', down], ['● Decline', enter]);
    await tty.until('No trip was planned: the person said no');
    expect(await tty.ended).toBe(0);
  });
});
