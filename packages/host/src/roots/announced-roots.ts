/** The folders that the server of one connection knows of: announces changes to it, and holds calls back until it knows them. */
import type { Clock } from '@midcall/core/time';
import type { Client } from '@modelcontextprotocol/client';
import { type Era, hearsRootsChanged, serverSendsRequests } from '../base/index.ts';
import { sendRootsChanged } from '../sdk-seam/index.ts';
import type { OfferedRoots } from './offered-roots.ts';

/** What is announced, and to whom. */
export interface AnnouncedRootsOptions {
  readonly client: Client;
  readonly roots: OfferedRoots;
  /** The server's id. */
  readonly server: string;
  readonly era: () => Era;
  readonly clock: Clock;
}

/** How many milliseconds a server has to ask, once it has read the announcement. */
const askMs = 500;
/** How many milliseconds one round trip may take. */
const roundTripMs = 5_000;
/**
 * Round trips after the answer. Servers look at the disk for each root before they use it, and answer other requests meanwhile.
 * A number of round trips takes longer if the server or the machine is slow, and so do those looks.
 */
const settlingTrips = 20;

/**
 * Holds calls back until the server knows the roots (2025-11-25). Servers fetch them after `initialized`, and again when the
 * list has changed; a call that overtakes the request reaches a server that does not allow the root yet.
 *
 * - roots-gate-G1 After each announcement calls wait until the server has asked for the list, has its answer, and some round
 *   trips have passed, so that it has read it.
 * - roots-gate-G2 A server that does not ask is not waited for: once it answers a round trip, it has read the announcement, and
 *   has half a second from then on. One that answers nothing is waited for five seconds.
 */
export class RootsGate {
  readonly #clock: Clock;
  readonly #roundTrip: () => Promise<unknown>;
  readonly #noted = new Set<() => void>();
  #requests = 0;
  #answered = 0;
  #opened: Promise<unknown> = Promise.resolve();

  /** @param roundTrip - any request the server answers at once, such as a ping */
  constructor(clock: Clock, roundTrip: () => Promise<unknown>) {
    this.#clock = clock;
    this.#roundTrip = roundTrip;
  }

  /** The server asked for the roots, or was told them. */
  note(what: 'asked' | 'answered'): void {
    if (what === 'asked') this.#requests += 1;
    else this.#answered += 1;
    for (const look of [...this.#noted]) look();
  }

  /** True while the server waits for an answer to its question about the roots. */
  get asking(): boolean {
    return this.#requests > this.#answered;
  }

  /** The server is being told to read the list: by `initialized`, or because it has changed. Calls wait from now on. */
  announced(): void {
    this.#opened = Promise.all([this.#opened, this.#read(this.#requests)]);
  }

  /** Resolves when calls may go out. Never rejects. */
  async opened(): Promise<void> {
    let opened: unknown;
    while (opened !== this.#opened) {
      opened = this.#opened;
      await opened;
    }
  }

  /** @param before - how many times the server had asked when it was told to */
  async #read(before: number): Promise<void> {
    const asks = (): boolean => this.#requests > before;
    let returned = false;
    void this.#passed().then(() => {
      returned = true;
      for (const look of [...this.#noted]) look();
    });
    await this.#until(() => asks() || returned);
    if (!(await this.#until(asks, askMs))) return;
    await this.#until(() => this.#answered > before);
    const timeout = new AbortController();
    const takeUp = this.#clock.after(roundTripMs, () => timeout.abort());
    for (let trips = 0; trips < settlingTrips && !timeout.signal.aborted; trips += 1) await this.#passed();
    takeUp();
  }

  /** Resolves after a round trip, or when one has taken too long. */
  async #passed(): Promise<void> {
    let over = false;
    const trip = this.#roundTrip()
      .catch(() => {})
      .then(() => {
        over = true;
        for (const look of [...this.#noted]) look();
      });
    await Promise.race([trip, this.#until(() => over, roundTripMs)]);
  }

  /** @returns true as soon as the condition holds; false if it does not within `ms` milliseconds */
  #until(so: () => boolean, ms?: number): Promise<boolean> {
    if (so()) return Promise.resolve(true);
    return new Promise(resolve => {
      const settle = (is: boolean): void => {
        this.#noted.delete(look);
        callOff?.();
        resolve(is);
      };
      const look = (): void => {
        if (so()) settle(true);
      };
      this.#noted.add(look);
      const callOff = ms === undefined ? undefined : this.#clock.after(ms, () => settle(false));
    });
  }
}

export class AnnouncedRoots {
  readonly #options: AnnouncedRootsOptions;
  readonly #gate: RootsGate;
  readonly #stop: () => void;
  /** The value of {@link #granted} when the server was last told to read the list. */
  #announced: string | undefined;

  constructor(options: AnnouncedRootsOptions) {
    this.#options = options;
    this.#gate = new RootsGate(options.clock, () => options.client.ping());
    this.#stop = options.roots.subscribe(server => void this.#changed(server));
  }

  /** A `roots/list` was received, or answered. */
  note(what: 'asked' | 'answered'): void {
    this.#gate.note(what);
  }

  /** Resolves when calls may go out. Never rejects. */
  opened(): Promise<void> {
    return this.#gate.opened();
  }

  /** The connection is open. */
  connected(): void {
    this.#announced = this.#granted();
    if (serverSendsRequests(this.#options.era())) this.#gate.announced();
  }

  /** The connection is closed. */
  close(): void {
    this.#stop();
  }

  /** What the server may be told, as canonical text: changes that concern only others are not announced to it. */
  #granted(): string | undefined {
    return JSON.stringify(this.#options.roots.granted(this.#options.server));
  }

  async #changed(server: string | undefined): Promise<void> {
    const { client, era } = this.#options;
    if (server !== undefined && server !== this.#options.server) return;
    const isConnected = client.getNegotiatedProtocolVersion() !== undefined;
    if (!isConnected || !hearsRootsChanged(era())) return;
    const [before, granted] = [this.#announced, this.#granted()];
    if (granted === before) return;
    this.#announced = granted;
    // The person has just decided on the server's own question, whose answer contains the list.
    if (before !== undefined || !this.#gate.asking) this.#gate.announced();
    await sendRootsChanged(client);
  }
}
