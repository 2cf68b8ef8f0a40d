/**
 * Requests that the server makes of itself, to go on with a task: nobody is connected to them, so what is known of the client
 * and its person comes with them. Also what leaves with a round, for whoever keeps it.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ClientView } from './client-view.ts';
import type { Principal } from './principal.ts';

/** Whose request this was, when it began. */
export interface Detached {
  readonly client: ClientView;
  readonly principal: Principal | undefined;
  /** As `clientOf` names it. */
  readonly clientId: string;
  /** True while nothing is done but to wait for a page. */
  waits?: boolean;
}

/** What is known of a round that left. */
export interface Departure {
  readonly flow: string;
  /** Rounds so far. */
  readonly round: number;
  /** When the first of its questions is due, in milliseconds since the epoch; undefined where only pages are waited for. */
  readonly dueAt: number | undefined;
}

const detached = new WeakMap<ServerContext, Detached>();
const departures = new WeakMap<ServerContext, Departure>();

/** @returns the same context, known as one that nobody is connected to */
export function detach(ctx: ServerContext, as: Detached): ServerContext {
  detached.set(ctx, as);
  return ctx;
}

export const detachedOf = (ctx: ServerContext): Detached | undefined => detached.get(ctx);

export const noteDeparture = (ctx: ServerContext, departure: Departure): void => void departures.set(ctx, departure);

export const departureOf = (ctx: ServerContext): Departure | undefined => departures.get(ctx);
