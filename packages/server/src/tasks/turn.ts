/** One turn of a task: the retry that the server makes itself, and its effect on the task. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { type Detached, detach } from '../request/index.ts';
import { type Departure, wireError } from '../sdk-seam/index.ts';
import { type StateOptions, storedState } from '../state/index.ts';
import { broughtBy, endOf, type InputRequest, type Task } from './task.ts';

/** Questions sent instead of a result, for the client to answer. */
export interface InputRequired {
  readonly resultType: 'input_required';
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
}

export const isInputRequired = (result: unknown): result is InputRequired =>
  (result as { resultType?: unknown } | null | undefined)?.resultType === 'input_required';

/** A round's effect on its task. */
export const afterRound = (
  { requestState, inputRequests = {} }: InputRequired,
  departure: Departure | undefined,
  config: Pick<StateOptions, 'sealer'>,
): Partial<Task> => ({
  status: Object.keys(inputRequests).length > 0 ? 'input_required' : 'working',
  inputRequests,
  answers: {},
  ...(requestState !== undefined && { state: storedState(requestState, config) }),
  ...(departure && { flow: departure.flow }),
  ...(departure?.dueAt !== undefined && { dueAt: departure.dueAt }),
  ...(departure?.waitsFor !== undefined && { statusMessage: departure.waitsFor }),
});

/**
 * The request that continues a task, as its client would make it.
 * @param run - `signal` ends this run of it; the others as in {@link Detached}
 */
export function contextOf(
  task: Task,
  { signal, over, isStanding, tell }: { readonly signal: AbortSignal } & Pick<Detached, 'over' | 'isStanding' | 'tell'>,
): ServerContext {
  const { client, principal, clientId, state } = task;
  const entries = Object.entries(broughtBy(task));
  const mcpReq = {
    id: 0,
    method: 'tools/call',
    envelope: task.envelope,
    _meta: {},
    signal,
    requestState: () => state,
    inputResponses: Object.fromEntries(
      entries.filter(([, { value }]) => value !== null).map(([key, { value }]) => [key, value]),
    ),
    droppedInputResponseKeys: entries.filter(([, { value }]) => value === null).map(([key]) => key),
    notify: async () => {},
    send: () => Promise.reject(new Error('A task sends no requests.')),
  };
  const answeredAt = Object.fromEntries(entries.map(([key, { at }]) => [key, at]));
  return detach({ mcpReq } as unknown as ServerContext, {
    ...{ client, principal, clientId, state, over, answeredAt, until: endOf(task) },
    ...(isStanding && { isStanding }),
    ...(tell && { tell }),
  });
}

/** An error's effect on its task. */
export function failure(error: unknown): Partial<Task> {
  const wire = wireError(error);
  return { status: 'failed', error: wire, statusMessage: wire.message };
}
