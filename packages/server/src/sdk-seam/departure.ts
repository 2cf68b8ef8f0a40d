/** What is known about a round that was sent, for whoever continues its call. */
import type { ServerContext } from '@modelcontextprotocol/server';

export interface Departure {
  readonly flow: string;
  /** The number of rounds so far. */
  readonly round: number;
  /** When the first of its questions is due, in milliseconds since the epoch; undefined if its client is asked nothing. */
  readonly dueAt: number | undefined;
  /** Set if it waits for an inbox alone, so that the call becomes a task: for whom, in words. */
  readonly waitsFor?: string;
  /** The signals that fire when a question is withdrawn, by the key of the question. */
  readonly withdrawals: readonly (readonly [key: string, withdrawn: AbortSignal])[];
}

const departures = new WeakMap<ServerContext, Departure>();

/** Notes the round that answered a request. */
export const noteDeparture = (ctx: ServerContext, departure: Departure): void => {
  departures.set(ctx, departure);
};

/** @returns undefined if the answer of the request is not a round, or is not there yet */
export const departureOf = (ctx: ServerContext): Departure | undefined => departures.get(ctx);
