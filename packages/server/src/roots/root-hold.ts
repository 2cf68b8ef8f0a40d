/**
 * One allowed directory, held open, and how many are using it.
 *
 * 1. It closes when it is revoked, or when its last owner lets go, but never before the operations in flight on it have ended:
 *    otherwise a reused descriptor number would receive their writes.
 * 2. Once revoked, no operation starts on it.
 */
import { closed, revoked } from './refusal.ts';
import type { System } from './system.ts';

/** An implementation's data for a directory it holds. */
export interface HeldDirectory {
  /** Real path. */
  readonly path: string;
  /** The path that leads to the held directory itself: `/proc/self/fd/N`, or the real path where nothing better exists. */
  readonly at: string;
  /** Device and inode. */
  readonly identity: string;
  readonly system: System;
  close(): void;
}

export class RootHold {
  readonly path: string;
  readonly at: string;
  readonly identity: string;
  readonly system: System;
  #directory: HeldDirectory;
  #owners = 1;
  #inFlight = 0;
  #revoked = false;
  #closed = false;

  constructor(directory: HeldDirectory) {
    this.#directory = directory;
    this.path = directory.path;
    this.at = directory.at;
    this.identity = directory.identity;
    this.system = directory.system;
  }

  get live(): boolean {
    return !this.#revoked && !this.#closed;
  }

  /** @throws MidcallError roots/revoked if no operation may start or continue */
  check(): void {
    if (this.#revoked) throw revoked(`The folder '${this.path}'`);
    if (this.#closed) throw closed();
  }

  /** Begins an operation. @throws MidcallError roots/revoked */
  enter(): void {
    this.check();
    this.#inFlight += 1;
  }

  /** Ends an operation begun with {@link enter}. */
  leave(): void {
    this.#inFlight -= 1;
    this.#settle();
  }

  /** One more owner. */
  retain(): this {
    this.#owners += 1;
    return this;
  }

  /** One owner less. */
  release(): void {
    this.#owners -= 1;
    this.#settle();
  }

  /** Withdraws the root: it refuses from now on. */
  revoke(): void {
    this.#revoked = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#closed || this.#inFlight > 0 || (this.#owners > 0 && !this.#revoked)) return;
    this.#closed = true;
    this.#directory.close();
  }
}
