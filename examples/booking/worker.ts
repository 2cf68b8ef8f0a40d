/**
 * The booking server in a worker. Clients of 2025-11-25 are asked within a session, which needs a process that lives: a
 * Durable Object is one.
 */
// #region worker
import { midcall } from '@midcall/server';
import { mcpEndpoint } from '@midcall/server/http';
import { badDay } from './bad-day.ts';
import { bookingServer } from './server.ts';

export class BookingObject {
  readonly #mid = midcall(); // the key is the secret MIDCALL_KEY
  readonly #world = badDay();
  readonly #endpoint = mcpEndpoint(() => bookingServer(this.#mid, this.#world));

  fetch(request: Request): Promise<Response> {
    return this.#endpoint.fetch(request);
  }
}

interface Env {
  readonly BOOKING: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

export default { fetch: (request: Request, { BOOKING }: Env) => BOOKING.getByName('flights').fetch(request) };
// #endregion
