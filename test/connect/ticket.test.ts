import { describe, expect, it } from 'vitest';
import {
  newCode,
  newTicket,
  spelled,
  type Ticket,
  Tickets,
  ticketName,
} from '../../packages/server/src/connect/ticket.ts';
import { createSealer, keyRing } from '../../packages/server/src/index.ts';
import { memoryStore } from '../../packages/server/src/stores/memory.ts';

const sealer = createSealer(keyRing(Buffer.alloc(32, 7)));
const day = 86_400_000;

/** Two processes over one store, whose clock stands still until it is moved. */
function setting() {
  let time = 1_800_000_000_000;
  const now = () => time;
  const store = memoryStore({ now });
  const opened: string[] = [];
  const watched = {
    ...sealer,
    open: (text: unknown, purpose: string) => {
      opened.push(purpose);
      return sealer.open(text, purpose);
    },
  };
  const tickets = () => new Tickets({ store, sealer: watched, now, timer: () => () => {}, warn() {}, audit() {} });
  const ticket: Ticket = {
    ticket: newTicket(),
    kind: 'confirm',
    data: { title: 'Allow this call?' },
    message: 'This moves 14 notes.',
    check: 'none',
    call: { method: 'tools/call', name: 'notes_archive' } as Ticket['call'],
    arguments: { before: '2026-01-01' },
    askedAt: time,
    dueAt: time + 900_000,
  };
  return {
    store,
    ticket,
    opened,
    issuer: tickets(),
    other: tickets(),
    advance: (ms: number) => {
      time += ms;
    },
  };
}

describe('a ticket', () => {
  it('page-ticket-T1: says nothing by itself, and lies in the store neither in the clear nor under its own name', async () => {
    const { store, ticket, issuer } = setting();
    await issuer.issue(ticket);
    expect(await store.get(`page:${ticket.ticket}`)).toBeUndefined();
    const kept = await store.get(`page:${ticketName(ticket.ticket)}`);
    expect(kept).toBeDefined();
    for (const word of [ticket.ticket, 'Allow', 'notes']) expect(kept).not.toContain(word);
  });

  it('stands for the same thing in the process that issued it and in another, and only there it is opened', async () => {
    const { ticket, issuer, other, opened } = setting();
    await issuer.issue(ticket);
    expect(await issuer.look(ticket.ticket)).toEqual({ standing: 'open', ticket });
    expect(await issuer.find(ticket.ticket)).toEqual(ticket);
    expect(opened).toEqual([]);
    expect(await other.look(ticket.ticket)).toEqual({ standing: 'open', ticket });
    expect(opened).toEqual(['page']);
  });

  it('is given anew with each look, and says what was issued whatever becomes of the object it was issued from', async () => {
    const { ticket, issuer } = setting();
    const given = structuredClone(ticket) as { arguments: unknown } & Ticket;
    await issuer.issue(given);
    given.arguments = { before: '1999-01-01' };
    const first = (await issuer.find(ticket.ticket)) as { arguments: unknown } | undefined;
    expect(first).toEqual(ticket);
    first!.arguments = {};
    expect(await issuer.find(ticket.ticket)).toEqual(ticket);
  });

  it('is what the store has: another text under its key, or none, is not what this process issued', async () => {
    const { store, ticket, issuer, advance } = setting();
    await issuer.issue(ticket);
    const key = `page:${ticketName(ticket.ticket)}`;
    await store.set(key, sealer.seal({ k: 'page:another', v: { ...ticket, kind: 'secret' } }, 'page'));
    expect(await issuer.find(ticket.ticket)).toBeUndefined();
    expect(await issuer.look(ticket.ticket)).toBeUndefined();
    await store.delete(key);
    expect(await issuer.find(ticket.ticket)).toBeUndefined();
    advance(2 * day);
    expect(await issuer.look(ticket.ticket)).toBeUndefined();
  });

  it('page-ticket-T2, page-ticket-T3: one gets its turn, and nobody once its time is up', async () => {
    const { ticket, issuer, other, advance } = setting();
    await issuer.issue(ticket);
    expect(await Promise.all([issuer.takeTurn(ticket, 'accept'), other.takeTurn(ticket, 'decline')])).toEqual([
      true,
      false,
    ]);
    expect(await other.look(ticket.ticket)).toEqual({ standing: 'underWay' });
    const late = { ...ticket, ticket: newTicket() };
    await issuer.issue(late);
    advance(900_000);
    expect(await issuer.takeTurn(late, 'accept')).toBe(false);
    expect(await issuer.look(late.ticket)).toEqual({ standing: 'expired' });
  });

  it('page-ticket-T4: five codes may be tried, in whichever process', async () => {
    const { ticket, issuer, other } = setting();
    const left: unknown[] = [];
    for (const tickets of [issuer, other, issuer, other, issuer, other]) left.push(await tickets.try(ticket));
    expect(left).toEqual([4, 3, 2, 1, 0, undefined]);
  });

  it('that nobody issued, or that is no ticket at all, is unknown', async () => {
    const { issuer } = setting();
    for (const text of [newTicket(), '', 'x'.repeat(10_000), '../../page']) {
      expect(await issuer.look(text)).toBeUndefined();
      expect(await issuer.find(text)).toBeUndefined();
    }
  });
});

it('a code reads the same with blanks, dashes and small letters, and has no letter that is mistaken for another', () => {
  const code = newCode();
  expect(code).toMatch(/^[A-HJ-KM-NP-TV-Z2-9]{4}-[A-HJ-KM-NP-TV-Z2-9]{4}$/);
  expect(spelled(` ${code.toLowerCase().replace('-', ' ')} `)).toBe(spelled(code));
});
