/**
 * This process as a member of its fleet: it signals that it is alive, wakes others, and is woken.
 *
 * - replica-W1 Being woken only says that something should be checked. A published message may be lost, so it is also put into
 *   an inbox, which is emptied at every turn; the state itself is always read from Redis.
 * - replica-W2 A replica that gave no sign of life for `presenceMs` counts as dead. It may only be slow: from then on its
 *   writes are refused wherever its calls have been taken over.
 * - replica-W3 A replica that could not signal for that long, because Redis was unavailable or its own process was stopped,
 *   regards nobody as dead until all have had time to signal again: they may be as alive as it is.
 * - replica-W4 A replica whose signals take long, because its machine or Redis is slow, makes each valid for longer. Otherwise slow
 *   replicas would take calls from each other in circles, or, regarding themselves as absent, never take those of a dead one.
 */
import { MidcallError } from '@midcall/core/errors';
import { type Clock, steadyNow } from '@midcall/core/time';
import type { Commands, RedisClient } from './commands.ts';
import { type FleetKeys, listenerAt, streamName } from './keys.ts';
import { showReplica } from './scripts.ts';

export interface ReplicaOptions {
  readonly id: string;
  readonly commands: Commands;
  /** A connection used only for listening. */
  readonly subscriber: RedisClient;
  readonly keys: FleetKeys;
  readonly presenceMs: number;
  /** Milliseconds after which a dead replica's calls are ended if no client came back for them. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Called at every turn. */
export interface Turn {
  /** Replicas that have been dead for longer than the grace. */
  dead(replicas: readonly string[]): void;
  turn(count: number): void;
}

/** How long an inbox that nobody empties is kept, in milliseconds. */
const INBOX_MS = 10 * 60_000;
/** How many entries are taken out of the inbox at a time. */
const MOST_AT_ONCE = 1_000;
/** Turns between two searches for dead replicas. */
const SHOW_EVERY = 5;
/** A signal is valid for so many times as long as the last one took. */
const MARGIN = 2;
/** How much of its length the validity of a signal keeps at the next one, once they are faster again. */
const DECAY = 0.8;
/** A signal is valid for at most so many times `presenceMs`. */
const MOST_VALID = 10;

export class Replica {
  readonly id: string;
  readonly #options: ReplicaOptions;
  readonly #listeners = new Map<string, Set<() => void>>();
  #stopTimer: (() => void) | undefined;
  #turns = 0;
  #shown: { readonly at: number; readonly steady: number; readonly validMs: number } | undefined;
  /** How long the next signal is valid, in milliseconds (replica-W4). */
  #validMs: number;
  /** True if Redis did not take the last signal: the time until the next one says nothing about how long signals take. */
  #isRefused = false;
  #draining: Promise<void> | undefined;
  #drainAgain = false;
  #closed = false;
  #listening = false;
  /** The time until which nobody is regarded as dead. */
  #believesUntil = Number.NEGATIVE_INFINITY;
  readonly #turnMs: number;

  constructor(options: ReplicaOptions) {
    this.id = options.id;
    this.#options = options;
    this.#validMs = options.presenceMs;
    this.#turnMs = Math.max(5, Math.min(1_000, Math.floor(options.presenceMs / 5)));
  }

  /** Announces this replica, and begins to listen. */
  start(turn: Turn): void {
    const { subscriber, onError } = this.#options;
    subscriber.on('message', () => void this.#drain());
    const next = (): void => {
      void this.#turn(turn)
        .catch(onError)
        .then(() => {
          if (!this.#closed) this.#stopTimer = this.#options.clock.after(this.#turnMs, next);
        });
    };
    next();
  }

  /** True if Redis knew, a moment ago, that this replica is alive. */
  get present(): boolean {
    return this.#shown !== undefined && this.#sinceShown() < this.#shown.validMs;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Makes sure that Redis knows. @throws MidcallError `store/unavailable` */
  async show(): Promise<void> {
    const { commands, keys, presenceMs, clock } = this.#options;
    if (this.#closed) throw new MidcallError('call/closed', 'This replica is closed.');
    const validMs = this.#validMs;
    const shown = { at: clock.now(), steady: steadyNow(clock), validMs };
    const wasAway = this.#isAway();
    try {
      await commands.send('SET', keys.alive(this.id), '', 'PX', String(Math.ceil(validMs)));
    } catch (error) {
      this.#isRefused = true;
      throw error;
    }
    const tookMs = this.#shown === undefined || this.#isRefused ? 0 : this.#sinceShown();
    this.#isRefused = false;
    const neededMs = Math.max(MARGIN * tookMs, DECAY * validMs);
    this.#validMs = Math.min(Math.max(presenceMs, neededMs), MOST_VALID * presenceMs);
    if (wasAway) this.#believesUntil = steadyNow(clock) + this.#validMs;
    this.#shown = shown;
  }

  /** @param listener - called when something of this name should be checked */
  on(name: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
  }

  /** Wakes whoever is responsible for something. @throws MidcallError `store/unavailable` */
  async wake(replica: string, name: string): Promise<void> {
    if (replica === '') return;
    if (replica === this.id) return this.#tell(name);
    const { commands, keys } = this.#options;
    await Promise.all([
      commands.send('RPUSH', keys.inbox(replica), name),
      commands.send('PEXPIRE', keys.inbox(replica), String(INBOX_MS)),
      commands.send('PUBLISH', keys.wake(replica), ''),
    ]);
  }

  /** Wakes the connection on which a client reads the stream of a call. @param listener - its id; empty for none */
  wakeListener(listener: string, call: string): Promise<void> {
    return this.wake(listenerAt(listener), streamName(call));
  }

  async isAlive(replica: string): Promise<boolean> {
    if (replica === '') return false;
    if (replica === this.id || this.#wasAway()) return true;
    return (await this.#options.commands.send('EXISTS', this.#options.keys.alive(replica))) === 1;
  }

  /**
   * True if this replica could not signal for long, even if it does not know that yet because its own process was stopped
   * (replica-W3).
   */
  #wasAway(): boolean {
    return steadyNow(this.#options.clock) < this.#believesUntil || this.#isAway();
  }

  #isAway(): boolean {
    return this.#shown !== undefined && this.#sinceShown() > this.#shown.validMs;
  }

  /**
   * Milliseconds since Redis was told: steady time, since the system's time may have been set back, but no less than that says,
   * since the machine may have slept.
   */
  #sinceShown(): number {
    const { clock } = this.#options;
    if (!this.#shown) return Number.POSITIVE_INFINITY;
    return Math.max(clock.now() - this.#shown.at, steadyNow(clock) - this.#shown.steady);
  }

  /** Records a call for whoever ends the calls that this replica leaves. */
  async hold(name: string): Promise<void> {
    await this.#options.commands.send('SADD', this.#options.keys.takenBy(this.id), name);
  }

  letGo(name: string): void {
    const { commands, keys, onError } = this.#options;
    commands.send('SREM', keys.takenBy(this.id), name).catch(onError);
  }

  /** Leaves the fleet. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopTimer?.();
    this.#shown = undefined;
    const { commands, keys } = this.#options;
    await commands.send('DEL', keys.alive(this.id));
  }

  async #turn(turn: Turn): Promise<void> {
    const { commands, keys, graceMs } = this.#options;
    this.#turns += 1;
    turn.turn(this.#turns);
    this.#listen();
    await this.show();
    await this.#drain();
    if (this.#turns % SHOW_EVERY !== 1) return;
    const dead = (await commands.run(showReplica, keys.replicas(), this.id, graceMs)) as readonly string[];
    if (dead.length > 0) turn.dead(dead);
  }

  /** Subscribes, if that has not happened yet; a lost connection resubscribes by itself. */
  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    const { subscriber, keys, onError } = this.#options;
    subscriber.subscribe(keys.wake(this.id)).catch((error: unknown) => {
      this.#listening = false;
      onError(error);
    });
  }

  #drain(): Promise<void> {
    if (this.#draining) {
      this.#drainAgain = true;
      return this.#draining;
    }
    const { commands, keys, onError } = this.#options;
    const drain = async (): Promise<void> => {
      do {
        this.#drainAgain = false;
        const names = (await commands.send('LPOP', keys.inbox(this.id), String(MOST_AT_ONCE))) as
          | readonly string[]
          | null;
        for (const name of new Set(names ?? [])) this.#tell(name);
        if (names?.length === MOST_AT_ONCE) this.#drainAgain = true;
      } while (this.#drainAgain && !this.#closed);
    };
    this.#draining = drain()
      .catch(onError)
      .finally(() => {
        this.#draining = undefined;
      });
    return this.#draining;
  }

  #tell(name: string): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener();
  }
}
