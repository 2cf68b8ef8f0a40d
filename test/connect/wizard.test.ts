/** Several forms as one question on a page of ours: one form at a time, back and forth, and all answers before they are sent. */
import { midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { connectPair, type pairings } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { addTrips } from '../../examples/docs/wizard.ts';
import { corners } from '../fixtures/corners.ts';
import { shortWaits } from './short-waits.ts';
import { visitor } from './visitor.ts';

const ticketIn = (text: string): string => /ticket "([^"]+)"/.exec(text)?.[1] ?? '';
const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+/.exec(text)?.[0] ?? '';
const textOf = ({ content }: { readonly content?: unknown }) => (content as { text: string }[])[0]!.text;

async function trip([era, carrier]: (typeof pairings)[number], isFree: (seat: string) => boolean = () => true) {
  const pages = connect({ name: 'Trips', reach: { kind: 'here', browser: false } });
  const mid = midcall({
    pages,
    channels: ['page'],
    suspectBelowMs: 0,
    holdMs: 15,
    warn: () => {},
    clock: shortWaits(),
  });
  const factory = () => {
    const server = new McpServer({ name: 'trips', version: '1.0.0' });
    addTrips(server, mid, isFree);
    return server;
  };
  const pair = await connectPair(factory, { era, carrier, capabilities: {} });
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    textOf(await pair.client.callTool({ name, arguments: args }));
  return {
    call,
    async [Symbol.asyncDispose]() {
      await pair[Symbol.asyncDispose]();
      await mid.stop();
    },
  };
}

it.each(corners)('%s over %s: a person goes through a wizard on one page, back and forth', async (...pairing) => {
  await using made = await trip(pairing);
  const said = await made.call('trip_plan');
  const person = visitor(linkIn(said));
  expect((await person.get()).title).toBe('Step 1 of 2');
  const empty = await person.send({ 'dates.q0': '' });
  expect([empty.title, empty.text.includes('answers do not fit yet.')]).toEqual(['Step 1 of 2', true]);
  const back = await person.send({ 'dates.q0': '2027-03-01', 'dates.q1': 'true' });
  expect(back.title).toBe('Step 2 of 3');
  // Half a form is left backwards, and is there again.
  const first = await person.send({ 'back.q0': '2027-03-0', do: 'back' });
  expect(first.text).toContain('value="2027-03-01"');
  expect((await person.send({ 'dates.q0': '2027-03-02', 'dates.q1': 'true' })).text).toContain('value="2027-03-0"');
  expect((await person.send({ 'back.q0': '2027-03-08' })).title).toBe('Step 3 of 3');
  const all = await person.send({ 'seat.q0': '1A' });
  expect(all.title).toBe('Check your answers');
  for (const shown of ['2027-03-02', '2027-03-08', '1A', 'Yes']) expect(all.text).toContain(`<dd>${shown}</dd>`);
  expect((await person.send({ do: 'change:dates' })).title).toBe('Step 1 of 3');
  // A form that does not apply any more is not sent.
  const seat = await person.send({ 'dates.q0': '2027-03-02', 'dates.q1': 'false' });
  expect([seat.title, seat.text.includes('checked')]).toEqual(['Step 2 of 2', true]);
  expect((await person.send({ 'seat.q0': '1A' })).text).not.toContain('2027-03-08</dd>');
  expect((await person.send({})).status).toBe(200);
  expect(await made.call('resume', { ticket: ticketIn(said) })).toBe('Seat 1A, out on 2027-03-02, one way.');
});

it.each(corners)(
  '%s over %s: a wizard opens the first wrong form again, with all that was typed',
  async (...pairing) => {
    await using made = await trip(pairing, seat => seat !== '1A');
    const said = await made.call('trip_plan');
    const person = visitor(linkIn(said));
    await person.get();
    await person.send({ 'dates.q0': '2027-03-02', 'dates.q1': 'true' });
    await person.send({ 'back.q0': '2027-03-01' });
    await person.send({ 'seat.q0': '1A' });
    await person.send({});
    const second = await made.call('resume', { ticket: ticketIn(said) });
    const again = visitor(linkIn(second));
    const page = await again.get();
    expect([page.title, page.text.includes('Choose a day after the departure.')]).toEqual(['Step 2 of 3', true]);
    expect(page.text).toContain('value="2027-03-01"');
    await again.send({ 'back.q0': '2027-03-09' });
    await again.send({ 'seat.q0': '1A' });
    await again.send({});
    const third = await made.call('resume', { ticket: ticketIn(second) });
    const last = visitor(linkIn(third));
    expect((await last.get()).text).toContain('1A has just been taken.');
    await last.send({ 'seat.q0': '2B' });
    await last.send({});
    expect(await made.call('resume', { ticket: ticketIn(third) })).toBe(
      'Seat 2B, out on 2027-03-02, back on 2027-03-09.',
    );
  },
);

it('a person declines on any page of a wizard, which takes no form from a posting that skips others', async () => {
  await using made = await trip(['2026-07-28', 'memory']);
  const said = await made.call('trip_plan');
  const person = visitor(linkIn(said));
  await person.get();
  // Nobody gets past a form by saying that they have seen them all.
  const skipped = await person.send(
    { 'wizard-at': '.review', 'seat.q0': '1A' },
    { fields: { 'wizard-at': '.review' } },
  );
  expect(skipped.title).toBe('Step 1 of 2');
  await person.send({ do: 'decline' });
  expect(await made.call('resume', { ticket: ticketIn(said) })).toMatch(/^No trip was planned: the person said no/);
});
