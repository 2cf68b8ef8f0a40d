/**
 * The person's answers about single calls, from when they are asked until they are used.
 *
 * - approvals-A1 A yes lets one call run, once: taking it and starting the call are one step.
 * - approvals-A2 It is for the same server, definition of the tool, arguments, requester and rule, and for no other.
 * - approvals-A3 The same call made again while the person is asked joins the others, and asks nobody anew.
 * - approvals-A4 A yes that comes after every caller has gone waits for the next of them, for an hour of time that no clock sets back.
 * - approvals-A5 One requester has at most so many calls that wait; those of others are not counted.
 */
import { createHash } from 'node:crypto';
import { canonical } from '@midcall/core/json';
import { type Clock, steadyNow } from '@midcall/core/time';
import type { Ending } from '../question/index.ts';

/** What a yes is for. All of it is compared (approvals-A2). */
export interface ApprovedCall {
  /** The server's command line or URL. */
  readonly origin: string;
  readonly server: string;
  /** Who makes the call. */
  readonly requester: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The tool as its server lists it; undefined if it does not. */
  readonly definition: unknown;
  /** The rule that asks; undefined if none is about the call. */
  readonly rule: unknown;
}

/** Equal for equal calls. */
export function bindingOf({ arguments: args, definition, rule, ...rest }: ApprovedCall): string {
  const { origin, server, requester, tool } = rest;
  const text = canonical([origin, server, requester, tool, args, definition ?? null, rule ?? null]);
  return createHash('sha256').update(text).digest('base64url');
}

/** A call that the person was asked about. */
export interface Approval<Outcome> {
  /** The question that asks, for those who wait for it. */
  readonly questionId: string;
  /** How the question ended. */
  readonly ended: Promise<Ending>;
  /** How many callers wait. */
  callers: number;
  /** Set once the call has been started. */
  outcome: Promise<Outcome> | undefined;
}

interface Entry<Outcome> extends Approval<Outcome> {
  readonly requester: string;
  /** True while the person is asked. */
  isOpen: boolean;
  /** Steady time until which a yes can be used; undefined if there is none. */
  until: number | undefined;
  /** Ends the question. */
  readonly end: () => void;
  /** Stops the wait for a caller, after which the question ends. */
  callOff: (() => void) | undefined;
}

/** The most calls of one requester that wait. */
const mostWaiting = 50;
/** How long a yes waits for its call, and a question for its caller, in milliseconds. */
export const approvalMs = 3_600_000;

/** Asked and unused answers, of every connection of a host. */
export class Approvals<Outcome> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<Outcome>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Joins the callers of the same call, or asks about it.
   * @param ask - puts the question; `signal` ends it
   * @returns undefined if this requester has too many calls that wait (approvals-A5)
   */
  join(
    binding: string,
    requester: string,
    ask: (signal: AbortSignal) => { readonly questionId: string; readonly ended: Promise<Ending> },
  ): Approval<Outcome> | undefined {
    this.#forgetOld();
    const found = this.#entries.get(binding);
    if (found) {
      found.callers += 1;
      found.callOff?.();
      found.callOff = undefined;
      return found;
    }
    const waiting = [...this.#entries.values()].filter(each => each.requester === requester && each.isOpen).length;
    if (waiting >= mostWaiting) return undefined;
    const abort = new AbortController();
    const { questionId, ended } = ask(abort.signal);
    const entry: Entry<Outcome> = {
      questionId,
      requester,
      callers: 1,
      isOpen: true,
      outcome: undefined,
      until: undefined,
      callOff: undefined,
      end: () => abort.abort({ how: 'timed-out' }),
      ended: ended.then(ending => {
        entry.isOpen = false;
        if (ending.how === 'answered') entry.until = steadyNow(this.#clock) + approvalMs;
        else this.drop(binding, entry);
        entry.callOff?.();
        return ending;
      }),
    };
    this.#entries.set(binding, entry);
    return entry;
  }

  /** A caller no longer waits. The question stays open for the next one, for a while (approvals-A4). */
  leave(approval: Approval<Outcome>): void {
    approval.callers -= 1;
    const entry = approval as Entry<Outcome>;
    if (entry.callers > 0 || !entry.isOpen) return;
    entry.callOff = this.#clock.after(approvalMs, entry.end);
  }

  /**
   * Uses a yes: starts the call, unless another caller has started it, whose outcome is then shared (approvals-A1).
   * @returns undefined if the yes is too old
   */
  use(binding: string, approval: Approval<Outcome>, start: () => Promise<Outcome>): Promise<Outcome> | undefined {
    if (approval.outcome) return approval.outcome;
    const { until } = approval as Entry<Outcome>;
    if (this.#entries.get(binding) !== approval || until === undefined || steadyNow(this.#clock) >= until)
      return undefined;
    this.#entries.delete(binding);
    approval.outcome = start();
    return approval.outcome;
  }

  /** Forgets an answer that must not be used. */
  drop(binding: string, approval: Approval<Outcome>): void {
    if (this.#entries.get(binding) === approval) this.#entries.delete(binding);
  }

  #forgetOld(): void {
    const now = steadyNow(this.#clock);
    for (const [binding, { until }] of this.#entries)
      if (until !== undefined && now >= until) this.#entries.delete(binding);
  }
}
