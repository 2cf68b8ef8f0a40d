/**
 * The calls in progress at the upstream server, whichever client waits for them.
 *
 * - upstream-calls-C1 A call is made once. On 2026-07-28 the client comes back for it round by round. A client that was told to
 *   call again makes the same call, and finds this one in progress.
 * - upstream-calls-C2 What a call asks, and how it ends, is an ordered list that can be read again, so that a handler that runs
 *   again from the top sees the same.
 * - upstream-calls-C3 A call that nobody comes back for is stopped, and its questions are withdrawn. One that has ended by then is
 *   kept as long again, with its result.
 * - upstream-calls-C4 A question that names no call may belong to any: every call is told, so that none waits for it forever. A
 *   call that has ended did not need it, and no longer waits for it.
 * - upstream-calls-C5 A call that a task of its client waits for is stopped when that is over, and not before.
 */

import type { SamplingRequest, SamplingResult } from '@midcall/core/sampling';
import { type Clock, onAbort } from '@midcall/core/time';
import type { CallOutcome, CallProgress, CallRequest, CallTask, Inbox, Question } from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import { asksSignIn } from '../desk/index.ts';

/** A request to the host's model, with the functions that settle it. */
export interface Sample {
  readonly request: SamplingRequest;
  /** False once it has ended, or nobody waits for it. */
  readonly open: boolean;
  readonly settle: (ended: { readonly result: SamplingResult } | { readonly error: unknown }) => void;
}

/** An event of a call. */
export type Happened =
  | { readonly question: Question }
  | { readonly sample: Sample }
  | { readonly outcome: CallOutcome };

/** What a call in progress is told. */
export interface UpstreamCallListener {
  progressed(progress: CallProgress): void;
  /** It has become a task, or that has changed. */
  becameTask(task: CallTask): void;
  /** It waits for the answer to a question. */
  asked(question: Question): void;
  over(outcome: CallOutcome): void;
}

/** Where calls are made, and how long they are kept. */
export interface UpstreamCallsOptions {
  /** Makes a call at the upstream server. @throws if it cannot be made */
  readonly run: (id: string, request: CallRequest, told: UpstreamCallListener, principal: string | undefined) => void;
  /** Stops a call at the upstream server. */
  readonly cancel: (id: string) => void;
  /** Tells the person whether the client still waits for their answer. */
  readonly tellWait: (id: string, wait: HostWait) => void;
  /** An id for a call, unique in the host. */
  readonly newId: () => string;
  readonly inbox: Inbox;
  /** The id of the upstream server. */
  readonly server: string;
  /** Handles a question that names no call (upstream-calls-C4). */
  readonly unclaimed: (question: Question) => void;
  readonly clock: Clock;
  /** How many milliseconds a call continues, or its result is kept, while nobody waits for it. */
  readonly unclaimedMs: number;
  /** Equal for calls that are the same. */
  readonly digest: (request: CallRequest, principal: string | undefined) => string;
}

/** Calls by their id at the upstream server. */
export class UpstreamCalls {
  readonly #parts: UpstreamCallsOptions;
  readonly #calls = new Map<string, UpstreamCall>();
  readonly #stopListening: () => void;

  constructor(parts: UpstreamCallsOptions) {
    this.#parts = parts;
    this.#stopListening = parts.inbox.subscribe(event => {
      if (event.type === 'asked') this.#asked(event.question);
    });
  }

  #asked(question: Question): void {
    const { call, asker, kind } = question;
    // The same call made again waits for such a question too, so each call is told by whoever asks.
    if (kind === 'call') return;
    if (call) this.#calls.get(call.id)?.asked(question);
    else if (asker.id === this.#parts.server) {
      for (const upstreamCall of this.#calls.values()) upstreamCall.asked(question);
      this.#parts.unclaimed(question);
    }
  }

  /**
   * Makes a call, or finds the same one that a client of the same principal was told to make again (upstream-calls-C1). Join it
   * at once, so that no other client finds it.
   */
  begin(request: CallRequest, principal?: string): UpstreamCall {
    let digest: string | undefined;
    for (const each of this.#calls.values()) {
      if (!each.sentAway) continue;
      digest ??= this.#parts.digest(request, principal);
      if (each.digest === digest) return each;
    }
    const upstreamCall = new UpstreamCall(this.#parts, request, principal, this.#gone);
    this.#parts.run(upstreamCall.id, request, upstreamCall, principal);
    this.#calls.set(upstreamCall.id, upstreamCall);
    // Every call waits for a sign-in that is already open.
    for (const question of this.#parts.inbox.list())
      if (asksSignIn(question, this.#parts.server)) upstreamCall.asked(question);
    return upstreamCall;
  }

  readonly #gone = (id: string): void => void this.#calls.delete(id);

  /** How many calls are in progress, or have a result that no client has collected. */
  get size(): number {
    return this.#calls.size;
  }

  get(id: string): UpstreamCall | undefined {
    return this.#calls.get(id);
  }

  /** Stops every call. */
  close(): void {
    this.#stopListening();
    for (const upstreamCall of [...this.#calls.values()]) upstreamCall.stop();
  }
}

/** Made once, since an error for each call would cost as much as the call. */
const callEnded = { how: 'ended' } as const;

/** What one call needs of them. */
type CallParts = Pick<UpstreamCallsOptions, 'clock' | 'unclaimedMs' | 'cancel' | 'tellWait' | 'newId' | 'digest'>;

/** One call. */
export class UpstreamCall implements UpstreamCallListener {
  /** Its id at the upstream server. */
  readonly id: string;
  /** True if a question of it has ended because nobody could be asked. */
  unasked = false;
  /** True if the client that waits has a model, and its person decides about it. */
  samplesAtHost = false;
  readonly #parts: CallParts;
  readonly #request: CallRequest;
  readonly #principal: string | undefined;
  /** The client that waits, or waited last, as it calls itself. */
  #host = '';
  #sentAway = false;
  /** True if the person was told that the client had stopped waiting. */
  #wasAway = false;
  #digest: string | undefined;
  readonly #gone: (id: string) => void;
  readonly #happened: Happened[] = [];
  #waiting: (() => void)[] = [];
  readonly #listeners: ((progress: CallProgress) => void)[] = [];
  #progress = 0;
  /** Signals that fire when a task that waits for this call is over. This and the next are made on demand. */
  #tasks: Set<AbortSignal> | undefined;
  #ending: AbortController | undefined;
  #isEnded = false;
  #delivered = false;
  #forgotten = false;
  /** Requests to the host's model that have not been sent yet. */
  #replies = 0;
  #callOff: (() => void) | undefined;
  /** How many milliseconds it is kept from when its last client left, and again from its end. */
  #forMs: number;

  /**
   * @param gone - called with its id when nobody comes back for it
   */
  constructor(parts: CallParts, request: CallRequest, principal: string | undefined, gone: (id: string) => void) {
    this.id = parts.newId();
    this.#parts = parts;
    this.#forMs = parts.unclaimedMs;
    this.#request = request;
    this.#principal = principal;
    this.#gone = gone;
  }

  /** Equal for calls that are the same. */
  get digest(): string {
    this.#digest ??= this.#parts.digest(this.#request, this.#principal);
    return this.#digest;
  }

  /** Tells whoever waits. */
  progressed(progress: CallProgress): void {
    this.#progress = Math.max(this.#progress, progress.progress);
    for (const listener of [...this.#listeners]) listener(progress);
  }

  /** The status of its task is reported as progress, so that the host need not support tasks. */
  becameTask({ message }: CallTask): void {
    this.progressed({ progress: this.#progress + 1, ...(message !== undefined && { message }) });
  }

  /** The upstream server has ended it. */
  over(outcome: CallOutcome): void {
    this.#tell({ outcome });
    this.#isEnded = true;
    this.#ending?.abort(callEnded);
    // Its person may have answered late, and the client hears of that only then.
    if (this.#callOff) this.#keep();
  }

  /** Fires when the upstream server has ended the call; its outcome is among the events by then. */
  get ended(): AbortSignal {
    if (!this.#ending) {
      this.#ending = new AbortController();
      if (this.#isEnded) this.#ending.abort(callEnded);
    }
    return this.#ending.signal;
  }

  /** Adds a question that it waits for. */
  asked(question: Question): void {
    this.#tell({ question });
  }

  /**
   * Sends a request to the host's model, as soon as a client waits.
   * @param signal - fires when the reply is no longer needed
   * @throws the client's refusal as an error, or the signal's reason
   */
  sample(request: SamplingRequest, signal: AbortSignal): Promise<SamplingResult> {
    return new Promise((resolve, reject) => {
      let open = true;
      const takeBack = (): void => settle({ error: signal.reason });
      const settle: Sample['settle'] = ended => {
        open = false;
        signal.removeEventListener('abort', takeBack);
        if ('error' in ended) return reject(ended.error);
        this.#replies += 1;
        resolve(ended.result);
      };
      signal.addEventListener('abort', takeBack, { once: true });
      const sample = {
        request,
        settle,
        get open() {
          return open;
        },
      };
      this.#tell({ sample });
    });
  }

  /**
   * Takes a reply that needs no review here. @returns true if the host's model made it and its person has seen it; once per
   * reply
   */
  takeReply(): boolean {
    if (this.#replies === 0) return false;
    this.#replies -= 1;
    return true;
  }

  /** The n-th event, from 0, as soon as it has happened (upstream-calls-C2). */
  async happened(n: number): Promise<Happened> {
    while (this.#happened.length <= n) await new Promise<void>(resolve => this.#waiting.push(resolve));
    return this.#happened[n]!;
  }

  /** The question that it asked last, if nothing has happened since. */
  get lastQuestion(): Question | undefined {
    const last = this.#happened.at(-1);
    return last && 'question' in last ? last.question : undefined;
  }

  /** True from when a client was told to call again until one comes back. */
  get sentAway(): boolean {
    return this.#sentAway;
  }

  /** Set while a card shows a question: its request has ended, and the same call made again finds this one. */
  set sentAway(away: boolean) {
    this.#sentAway = away;
  }

  /** The client stops waiting, and finds the call when it calls again. */
  sendAway(): void {
    this.#sentAway = true;
    this.#wasAway = true;
    this.#tellWait('left');
  }

  /** How many milliseconds it is kept once a client was told to call again, and again from its end. */
  get keptMs(): number {
    return this.#parts.unclaimedMs;
  }

  /** The client waits for the person. @param until - in milliseconds since the epoch; absent if nothing limits it */
  waits(until?: number): void {
    this.#tellWait('waits', until);
  }

  #tellWait(state: HostWait['state'], until?: number): void {
    const limit = until === undefined ? {} : { until };
    this.#parts.tellWait(this.id, { host: this.#host, state, ...limit });
  }

  /**
   * Registers a client that waits for the call from now on.
   * @param host - what the client calls itself
   * @param onProgress - told of the server's progress
   * @returns a function that ends the wait; if nobody else waits, the call is kept for a while and then stopped
   *   (upstream-calls-C3): `forMs` milliseconds, or `unclaimedMs` if absent
   */
  join(host: string, onProgress: (progress: CallProgress) => void): (kept?: { readonly forMs?: number }) => void {
    this.#dropTimer();
    this.#host = host;
    if (this.#sentAway) this.waits();
    this.#sentAway = false;
    const listener = (progress: CallProgress): void => onProgress(progress);
    this.#listeners.push(listener);
    return ({ forMs = this.#parts.unclaimedMs } = {}) => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
      if (at < 0 || this.#listeners.length > 0 || this.#forgotten) return;
      if (this.#delivered) this.#forget();
      else if (!this.#tasks?.size) {
        this.#forMs = forMs;
        this.#keep();
      }
    };
  }

  /**
   * Registers a task that waits for the call, even while no run of its handler does (upstream-calls-C5). @param over - fires
   * when the task is over
   */
  keepUntil(over: AbortSignal): void {
    this.#tasks ??= new Set();
    const tasks = this.#tasks;
    if (this.#forgotten || tasks.has(over)) return;
    tasks.add(over);
    this.#dropTimer();
    const end = (): void => {
      tasks.delete(over);
      if (!this.#forgotten && this.#listeners.length === 0) this.stop();
    };
    onAbort(over, end);
  }

  /** Notes that the client has received the outcome, so that nobody comes back for it. */
  delivered(): void {
    this.#delivered = true;
    if (this.#wasAway) this.#tellWait('served');
  }

  /** The client stops waiting for a call that has not been made: the person's answer waits for the same call made again. */
  notMade(): void {
    this.#tellWait('left');
    this.stop();
  }

  /** Stops the call at the upstream server; its questions are withdrawn. */
  stop(): void {
    if (!this.#isEnded) this.#parts.cancel(this.id);
    this.#forget();
  }

  #forget(): void {
    this.#forgotten = true;
    if (this.#sentAway) this.#tellWait('lost');
    this.#dropTimer();
    this.#gone(this.id);
  }

  #keep(): void {
    this.#dropTimer();
    this.#callOff = this.#parts.clock.after(this.#forMs, () => this.stop());
  }

  #dropTimer(): void {
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #tell(happened: Happened): void {
    this.#happened.push(happened);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
