/** An answer from a page of ours that the server does not take: the page comes again, with the message at its field. */
import { expect, it } from 'vitest';
import { corners } from '../fixtures/corners.ts';
import { fixture, textOf } from './fixture.ts';
import { shortWaits } from './short-waits.ts';
import { visitor } from './visitor.ts';

const ticketIn = (text: string): string => /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+/.exec(text)?.[0] ?? '';

it.each(corners)(
  '%s over %s: an answer is asked for again on a page, with what was typed and why it was not taken',
  async (era, carrier) => {
    const judged: string[] = [];
    const made = await fixture({
      era,
      carrier,
      capabilities: {},
      midcall: { holdMs: 15, clock: shortWaits() },
      handler: async call => {
        const answer = await call.elicit({
          message: 'Which seat?',
          form: { seat: String },
          channels: ['page'],
          validate: ({ seat }) => (judged.push(seat) === 1 ? { seat: 'That seat is taken.' } : undefined),
        });
        return answer.action === 'accept' ? answer.content.seat : JSON.stringify(answer);
      },
    });
    const first = await made.call();
    const person = visitor(linkIn(first));
    expect((await person.get()).text).not.toContain('That seat is taken.');
    await person.send({ q0: '1A' });
    const second = textOf(await made.callTool('resume', { ticket: ticketIn(first) }));
    const again = visitor(linkIn(second));
    const page = await again.get();
    expect(page.text).toContain('That seat is taken.');
    expect(page.text).toContain('value="1A"');
    await again.send({ q0: '2B' });
    expect(textOf(await made.callTool('resume', { ticket: ticketIn(second) }))).toBe('2B');
    expect(judged).toEqual(['1A', '2B']);
  },
);
