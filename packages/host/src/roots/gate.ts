/**
 * Holds back the first call until the server knows the roots (2025-11-25). Servers fetch them after `initialized`; a call
 * that overtakes the fetch meets a server that refuses its own root. Open when the server's first `roots/list` is
 * answered and one more round trip has passed, or when half a second went by without one.
 */
import type { Clock } from '@midcall/core/time';

const timeoutMs = 500;

/** One connection's gate. */
export class RootsGate {
  readonly #clock: Clock;
  readonly #roundTrip: () => Promise<unknown>;
  readonly #asked: Promise<void>;
  readonly #answered: Promise<void>;
  #onAsked: () => void = () => {};
  #onAnswered: () => void = () => {};
  #opened: Promise<void> | undefined;

  /** @param roundTrip - any request the server answers at once, such as a ping */
  constructor(clock: Clock, roundTrip: () => Promise<unknown>) {
    this.#clock = clock;
    this.#roundTrip = roundTrip;
    this.#asked = new Promise(resolve => {
      this.#onAsked = resolve;
    });
    this.#answered = new Promise(resolve => {
      this.#onAnswered = resolve;
    });
  }

  /** The server asked for the roots, or was told them. */
  note(what: 'asked' | 'answered'): void {
    if (what === 'asked') this.#onAsked();
    else this.#onAnswered();
  }

  /** Starts the half second; call when the connection is initialized. */
  initialized(): void {
    this.#opened ??= this.#open();
  }

  /** Resolves when calls may go out. Never rejects. */
  async opened(): Promise<void> {
    await this.#opened;
  }

  async #open(): Promise<void> {
    const asked = await new Promise<boolean>(resolve => {
      const callOff = this.#clock.after(timeoutMs, () => resolve(false));
      void this.#asked.then(() => {
        callOff();
        resolve(true);
      });
    });
    if (!asked) return;
    await this.#answered;
    await this.#roundTrip().catch(() => {});
  }
}
