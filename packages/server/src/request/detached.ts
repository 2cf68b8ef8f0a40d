/**
 * Requests that the server makes to itself to continue a task: no client is connected to them, so they carry what is known
 * about the client and its person.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from '../base/index.ts';
import type { StoredState } from '../state/index.ts';
import type { ClientView } from './client-view.ts';

/** The requester of the original call. */
export interface Detached {
  readonly client: ClientView;
  readonly principal: Principal | undefined;
  /** The client, as `clientOf` names it. */
  readonly clientId: string;
  /** Fires when the task is over; undefined if nobody can ask for it. */
  readonly over?: AbortSignal | undefined;
  /** The state with which this request continues the task; absent if it came from the client, or begins it. */
  readonly state?: StoredState | undefined;
  /** When the task expires, in milliseconds since the epoch; whatever is needed to run it again lives as long. */
  readonly until: number;
  /** When each of its answers was given, in milliseconds since the epoch, by the key of the question. */
  readonly answeredAt?: Readonly<Record<string, number>>;
  /**
   * Set if nobody but this server has the state it carries; false once the outcome of that state is stored. The claim of such a
   * run is not kept after the run ends, so this is called after the claim is made.
   */
  readonly isStanding?: () => Promise<boolean>;
  /** Called with what the run waits for, in words, for the status of the task. */
  readonly tell?: (waitsFor: string) => void;
  /** True while the run does nothing but wait for answers that do not come through the client. */
  waits?: boolean;
  /** Releases the claim on this run, once its outcome is stored. Set when the run has ended. */
  settle?: () => Promise<unknown>;
}

/** The reason with which a run is ended if its task was cancelled. */
export const taskCancelled = Object.freeze(new Error('The client cancelled this task.'));

type OverListener = (over: AbortSignal) => void;

const detached = new WeakMap<ServerContext, Detached>();
const listening = new WeakMap<ServerContext, OverListener[]>();

/** @returns the same context, marked as having no connected client */
export function detach(ctx: ServerContext, as: Detached): ServerContext {
  detached.set(ctx, as);
  for (const listener of listening.get(ctx) ?? []) if (as.over) listener(as.over);
  listening.delete(ctx);
  return ctx;
}

export const detachedOf = (ctx: ServerContext): Detached | undefined => detached.get(ctx);

/**
 * Reports when a request belongs to a task, immediately if it already does. @param listener - receives the signal that fires
 * when the task is over
 */
export function whenDetached(ctx: ServerContext, listener: OverListener): void {
  const state = detached.get(ctx);
  if (state?.over) listener(state.over);
  else if (!state) listening.set(ctx, [...(listening.get(ctx) ?? []), listener]);
}
