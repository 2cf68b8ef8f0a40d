/**
 * Calls of one host that may need nothing but a result: sent to the upstream server at once, and answered without going through
 * the SDK. A call that asks something, fails, or takes longer is handed to the handler, which takes it over in progress.
 *
 * - direct-calls-D1 A call is made once, whichever path answers it.
 * - direct-calls-D2 Until the handler has taken a call over, the call is stopped if its host cancels it, and kept if the host
 *   disconnects, as in `forward.ts`.
 */
import { isRecord, own } from '@midcall/core/json';
import { type Clock, type RestartedTimer, restartedTimer } from '@midcall/core/time';
import type { CallProgress, CallRequest } from '@midcall/host';
import type { DirectAnswer, DirectRequest } from '@midcall/server';
import type { HostLink } from './host-link.ts';
import { restOf } from './host-wire.ts';
import type { WireResult } from './outcome.ts';
import { requestProblem } from './request-problem.ts';
import type { UpstreamCall } from './upstream-calls.ts';
import type { UpstreamSession } from './upstream-session.ts';

/** Milliseconds after which a call is handed to the handler: it may have to become a task. */
const directMs = 1_000;

/** A call that was made before its handler ran. */
export interface BegunCall {
  readonly session: UpstreamSession;
  readonly upstreamCall: UpstreamCall;
  /** Must be called once the handler listens to the call. */
  readonly leave: () => void;
}

/** What direct calls need. */
export interface DirectCallsParts {
  readonly link: HostLink;
  /** The upstream server, if it can be called at once for a host with these capabilities. */
  readonly session: (capabilities: unknown) => UpstreamSession | undefined;
  readonly principal: string | undefined;
  readonly ownModels: boolean;
  readonly clock: Clock;
}

/** The direct calls of one connection to a host. */
export class DirectCalls {
  readonly #parts: DirectCallsParts;
  /** The calls that the handler may take over, by request id. */
  readonly #begun = new Map<unknown, BegunCall>();
  readonly #late: LateCalls;

  constructor(parts: DirectCallsParts) {
    this.#parts = parts;
    this.#late = new LateCalls(parts.clock);
  }

  /** Hands over the call of a request to its handler; works once. */
  take(id: unknown): BegunCall | undefined {
    const begun = this.#begun.get(id);
    this.#begun.delete(id);
    return begun;
  }

  /** Makes a call; undefined if the handler must make it. */
  begin(method: string, kind: CallRequest['kind'], request: DirectRequest): DirectAnswer | undefined {
    const { link, principal, ownModels } = this.#parts;
    const { id, params, capabilities } = request;
    const session = this.#parts.session(capabilities);
    if (session?.connection.state !== 'ready' || requestProblem(method, params)) return undefined;
    const over = link.begin(request);
    const logs = session.logsNow(link);
    if (!logs) {
      over();
      return undefined;
    }
    const { name, uri, arguments: args } = params as { name?: string; uri?: string; arguments?: object };
    const rest = withLogs(restOf(params), logs);
    const called = { kind, name: name ?? uri ?? '', arguments: (args ?? {}) as Json, rest };
    const upstreamCall = session.calls.begin(called, principal);
    upstreamCall.samplesAtHost = !ownModels && isRecord(own(capabilities, 'sampling'));
    const leaveCall = upstreamCall.join(progressTo(request));
    const leave = (): void => {
      leaveCall();
      over();
    };
    const begun: BegunCall = { session, upstreamCall, leave };
    this.#begun.set(id, begun);
    const isOurs = (): boolean => this.#begun.get(id) === begun;
    return {
      result: new Promise(resolve => {
        const callOff = this.#late.add(() => resolve(undefined));
        upstreamCall.first(happened => {
          callOff();
          const outcome = 'outcome' in happened ? happened.outcome : undefined;
          if (!isOurs() || (outcome?.how !== 'completed' && outcome?.how !== 'tool-error')) return resolve(undefined);
          this.#begun.delete(id);
          upstreamCall.delivered();
          leave();
          resolve(outcome.result as WireResult);
        });
      }),
      end: how => {
        if (!isOurs()) return;
        this.#begun.delete(id);
        if (how === 'cancelled') upstreamCall.stop();
        else upstreamCall.sentAway = true;
        leave();
      },
    };
  }
}

/** Calls that are handed over if they are not over in time. They have one timer, which runs while there are any. */
class LateCalls {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #waiting = new Set<{ readonly dueAt: number; readonly handOver: () => void }>();
  readonly #timer: RestartedTimer;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = restartedTimer(clock, () => this.#look());
  }

  /** @param handOver - called once the time is up. @returns a function to call when the call is over */
  add(handOver: () => void): () => void {
    const call = { dueAt: this.#clock.now() + directMs, handOver };
    this.#waiting.add(call);
    if (this.#waiting.size === 1) this.#timer.start(directMs);
    return () => {
      if (this.#waiting.delete(call) && this.#waiting.size === 0) this.#timer.stop();
    };
  }

  #look(): void {
    const now = this.#clock.now();
    for (const call of this.#waiting) {
      const leftMs = call.dueAt - now;
      // More is left only if the clock was set back, and handing a call over early does no harm.
      if (leftMs > 0 && leftMs <= directMs) {
        this.#timer.start(leftMs);
        return;
      }
      this.#waiting.delete(call);
      call.handOver();
    }
  }
}

type Json = Readonly<Record<string, unknown>>;

const withLogs = (rest: Json, logs: Json): Json =>
  Object.keys(logs).length > 0 ? { ...rest, _meta: { ...(rest['_meta'] as Json | undefined), ...logs } } : rest;

const toNobody = (): void => {};

/** Passes progress on to the requester. */
function progressTo({ params, notify }: DirectRequest): (progress: CallProgress) => void {
  const progressToken = own(params['_meta'], 'progressToken');
  if (progressToken === undefined) return toNobody;
  return progress =>
    // That a client is gone shows in the end of its connection.
    void notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(() => {});
}
