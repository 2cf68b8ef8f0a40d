/**
 * The person's answers about single calls, from when they are asked until they are used.
 *
 * - approvals-A1 A yes lets one call run, once: taking it and starting the call are one step.
 * - approvals-A2 It is for the same server, definition of the tool, arguments, requester and rule, and for no other.
 * - approvals-A3 The same call made again while the person is asked joins the others, and asks nobody anew.
 * - approvals-A4 A yes that comes after every caller has gone waits for the next of them, for an hour of time that no clock sets
 *   back. If it is stored, another process can use it; a clock that is set to before the yes voids it.
 * - approvals-A5 One requester has at most so many calls that wait; those of others are not counted.
 * - approvals-A6 The start of a call is stored before the call is sent. If its process dies before the end is stored, the call is in
 *   doubt: the same call made again is told so once and is not sent, and the person is told when they are asked about it anew.
 */
import { createHash, randomUUID } from 'node:crypto';
import { canonical } from '@midcall/core/json';
import { mayRun, ownMark } from '@midcall/core/node';
import { type Clock, steadyNow } from '@midcall/core/time';
import type { Ending } from '../question/index.ts';
import type { ApprovedCall, ConsentStorage } from '../rules/index.ts';

/** Whose calls of which tool a yes is for. All of it is compared (approvals-A2). */
export interface BoundTool {
  /** The server's command line or URL. */
  readonly origin: string;
  readonly server: string;
  /** Who makes the call. */
  readonly requester: string;
  readonly tool: string;
  /** The tool as its server lists it; undefined if it does not. */
  readonly definition: object | undefined;
  /** The rule that asks; undefined if none is about the call. */
  readonly rule: object | undefined;
}

/** Equal for equal JSON. */
export const digest = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('base64url');

/** The digests of definitions and rules, which are the same objects for many calls. */
const digests = new WeakMap<object, string>();

function digestOf(value: object | undefined): string {
  if (!value) return '';
  const made = digests.get(value) ?? digest(value);
  digests.set(value, made);
  return made;
}

/** Equal for calls of the same tool by the same requester under the same rule. */
export const toolBindingOf = ({ origin, server, requester, tool, definition, rule }: BoundTool): string =>
  digest([origin, server, requester, tool, digestOf(definition), digestOf(rule)]);

/** Equal for equal calls. @param toolBinding - what {@link toolBindingOf} returns */
export const bindingOf = (toolBinding: string, args: Readonly<Record<string, unknown>>): string =>
  digest([toolBinding, args]);

/** A call that the person was asked about. */
export interface Approval<Outcome> {
  /** The question that asks, for those who wait for it; absent if an earlier process has asked it. */
  readonly questionId: string | undefined;
  /** How the question ended. */
  readonly ended: Promise<Ending>;
  /** How many callers wait. */
  callers: number;
  /** Set once the call has been started. */
  outcome: Promise<Outcome | undefined> | undefined;
}

interface Entry<Outcome> extends Approval<Outcome> {
  readonly requester: string;
  /** Names the yes. */
  readonly id: string;
  /** True while the person is asked. */
  isOpen: boolean;
  /** Steady time until which a yes can be used; undefined if there is none. */
  until: number | undefined;
  /** Ends the question. */
  readonly end: () => void;
  /** Stops the wait for a caller, after which the question ends. */
  callOff: (() => void) | undefined;
}

/** A call that has come to its end. */
export interface EndedCall<Outcome> {
  readonly how: 'executed' | 'in-doubt' | 'not-executed';
  readonly outcome: Outcome;
}

/** The most calls of one requester that wait. */
const mostWaiting = 50;
/** How long a yes waits for its call, a question for its caller, and what was executed is remembered, in milliseconds. */
export const approvalMs = 3_600_000;
/** How long a call that is in doubt, or whose end is not known, is remembered, in milliseconds. */
const doubtMs = 7 * 24 * 3_600_000;

/** Asked and unused answers, of every connection of a host. */
export class Approvals<Outcome> {
  readonly #clock: Clock;
  readonly #storage: ConsentStorage;
  readonly #entries = new Map<string, Entry<Outcome>>();

  constructor(clock: Clock, storage: ConsentStorage) {
    this.#clock = clock;
    this.#storage = storage;
  }

  /** What became of the same call before, as far as it is remembered. */
  earlier(binding: string): ApprovedCall['ended'] {
    return this.#stored(binding)?.ended;
  }

  /** True if the same call is known to have been started, by this process or another. */
  mayHaveRun(binding: string): boolean {
    const { started = [], ended } = this.#stored(binding) ?? {};
    return started.length > 0 || ended !== undefined;
  }

  /**
   * Tells one caller of a call that was started by a process that has died (approvals-A6).
   * @returns true if there is one
   */
  async takeInDoubt(binding: string): Promise<boolean> {
    const isLost = ({ by }: ApprovedCall['started'][number]): boolean => !mayRun(by);
    if (!this.#stored(binding)?.started.some(isLost)) return false;
    let found = false;
    await this.#change(binding, call => {
      const lost = call.started.filter(isLost);
      found = lost.length > 0;
      if (!found) return call;
      const at = Math.max(...lost.map(each => each.at));
      return { ...call, started: call.started.filter(each => !isLost(each)), ended: { how: 'in-doubt', at } };
    });
    return found;
  }

  /**
   * The question about a call: the one that is open, an answer that was not used yet, or a new one.
   * @param ask - asks; its signal ends the question
   * @returns undefined if the requester has too many calls that wait
   */
  join(
    binding: string,
    requester: string,
    ask: (signal: AbortSignal) => { readonly questionId: string; readonly ended: Promise<Ending> },
  ): Approval<Outcome> | undefined {
    this.#forgetOld();
    const found = this.#entries.get(binding) ?? this.#taken(binding, requester);
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
      id: randomUUID(),
      callers: 1,
      isOpen: true,
      outcome: undefined,
      until: undefined,
      callOff: undefined,
      end: () => abort.abort({ how: 'timed-out' }),
      ended: ended.then(async ending => {
        entry.isOpen = false;
        entry.callOff?.();
        if (ending.how !== 'answered') this.#forget(binding, entry);
        else {
          entry.until = steadyNow(this.#clock) + approvalMs;
          const yes = { id: entry.id, at: this.#clock.now() };
          // Without it, the call cannot be started.
          await this.#change(binding, call => ({ ...call, yes })).catch(() => {});
        }
        return ending;
      }),
    };
    this.#entries.set(binding, entry);
    return entry;
  }

  /** The yes that an earlier process has stored. */
  #taken(binding: string, requester: string): Entry<Outcome> | undefined {
    const yes = this.#stored(binding)?.yes;
    const now = this.#clock.now();
    if (!yes || now < yes.at || now >= yes.at + approvalMs) return undefined;
    const entry: Entry<Outcome> = {
      questionId: undefined,
      requester,
      id: yes.id,
      callers: 0,
      isOpen: false,
      outcome: undefined,
      until: steadyNow(this.#clock) + yes.at + approvalMs - now,
      callOff: undefined,
      end: () => {},
      ended: Promise.resolve({ how: 'answered', via: 'stored' }),
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
   * @param start - starts the call; never rejects
   * @returns undefined if the yes is too old, or was used by another process; rejects if the start cannot be stored
   */
  use(
    binding: string,
    approval: Approval<Outcome>,
    start: () => Promise<EndedCall<Outcome>>,
  ): Promise<Outcome | undefined> {
    if (approval.outcome) return approval.outcome;
    const entry = approval as Entry<Outcome>;
    const isValid =
      this.#entries.get(binding) === entry && entry.until !== undefined && steadyNow(this.#clock) < entry.until;
    if (!isValid) return Promise.resolve(undefined);
    this.#entries.delete(binding);
    approval.outcome = this.#start(binding, entry, start);
    return approval.outcome;
  }

  async #start(
    binding: string,
    { id }: Entry<Outcome>,
    start: () => Promise<EndedCall<Outcome>>,
  ): Promise<Outcome | undefined> {
    let isTaken = false;
    await this.#change(binding, call => {
      isTaken = call.yes?.id === id;
      if (!isTaken) return call;
      const { yes: _, ...rest } = call;
      return { ...rest, started: [...call.started, { id, at: this.#clock.now(), by: ownMark() }] };
    });
    if (!isTaken) return undefined;
    const { how, outcome } = await start();
    // If that is not stored, the call is in doubt once this process has ended.
    await this.#change(binding, call => ({
      ...call,
      started: call.started.filter(each => each.id !== id),
      ...(how !== 'not-executed' && { ended: { how, at: this.#clock.now() } }),
    })).catch(() => {});
    return outcome;
  }

  /** Forgets an answer that must not be used. */
  async drop(binding: string, approval: Approval<Outcome>): Promise<void> {
    const { id } = approval as Entry<Outcome>;
    this.#forget(binding, approval);
    await this.#change(binding, call => {
      const { yes, ...rest } = call;
      return yes?.id === id ? rest : call;
    });
  }

  #forget(binding: string, approval: Approval<Outcome>): void {
    if (this.#entries.get(binding) === approval) this.#entries.delete(binding);
  }

  #stored(binding: string): ApprovedCall | undefined {
    const { calls } = this.#storage.current();
    return Object.hasOwn(calls, binding) ? calls[binding] : undefined;
  }

  #change(binding: string, make: (call: ApprovedCall) => ApprovedCall): Promise<void> {
    return this.#storage.change(content => {
      const now = this.#clock.now();
      const before = Object.hasOwn(content.calls, binding) ? content.calls[binding] : undefined;
      const calls = Object.entries({ ...content.calls, [binding]: make(before ?? { started: [] }) });
      return { ...content, calls: Object.fromEntries(calls.filter(([, call]) => isRemembered(call, now))) };
    });
  }

  #forgetOld(): void {
    const now = steadyNow(this.#clock);
    for (const [binding, { until }] of this.#entries)
      if (until !== undefined && now >= until) this.#entries.delete(binding);
  }
}

function isRemembered({ yes, started, ended }: ApprovedCall, now: number): boolean {
  if (yes && now < yes.at + approvalMs) return true;
  if (started.some(({ at }) => now < at + doubtMs)) return true;
  return ended !== undefined && now < ended.at + (ended.how === 'executed' ? approvalMs : doubtMs);
}
