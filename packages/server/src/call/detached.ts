/**
 * Requests that the server makes of itself, to go on with a task: nobody is connected to them, so what is known of the client
 * and its person comes with them.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { KeptWith } from '../kept-with.ts';
import type { Principal } from '../principal.ts';
import type { ClientView } from './client-view.ts';

/** Whose request this was, when it began. */
export interface Detached {
  readonly client: ClientView;
  readonly principal: Principal | undefined;
  /** As `clientOf` names it. */
  readonly clientId: string;
  /** Fires when the task is over; undefined if nobody can ask for it. */
  readonly over?: AbortSignal | undefined;
  /** Until when the task lives, in milliseconds since the epoch: what it is run again with lives as long. */
  readonly until: number;
  /** When each answer it brings was given, in milliseconds since the epoch, by the key of its question. */
  readonly answeredAt?: Readonly<Record<string, number>>;
  /**
   * Where nobody but this server has the state that it brings: false once what the state led to is kept. Of such a run no claim is
   * kept when it has ended, so it is asked after the claim is there.
   */
  readonly isStanding?: () => Promise<boolean>;
  /** True while nothing is done but to wait for a page. */
  waits?: boolean;
  /** Lets go of the right to this run, once what came of it is kept. Set when the run has ended. */
  settle?: () => Promise<unknown>;
}

/** Why a run is ended whose task was cancelled. */
export const taskCancelled = Object.freeze(new Error('The client cancelled this task.'));

type OverListener = (over: AbortSignal) => void;

const detached = new KeptWith<ServerContext, Detached>();
const listening = new KeptWith<ServerContext, OverListener[]>();

/** @returns the same context, marked as one that no client is connected to */
export function detach(ctx: ServerContext, as: Detached): ServerContext {
  detached.set(ctx, as);
  for (const listener of listening.get(ctx) ?? []) if (as.over) listener(as.over);
  listening.delete(ctx);
  return ctx;
}

export const detachedOf = (ctx: ServerContext): Detached | undefined => detached.get(ctx);

/** Reports when a request belongs to a task, at once if it does already. @param listener - receives the signal that fires when that is over */
export function whenDetached(ctx: ServerContext, listener: OverListener): void {
  const state = detached.get(ctx);
  if (state?.over) listener(state.over);
  else if (!state) listening.set(ctx, [...(listening.get(ctx) ?? []), listener]);
}
