/** Stops what is read of a server while nobody takes it: what comes is not kept, and waits where it comes from. */
export class ReadingGate {
  #closed: Promise<void> | undefined;
  #open: (() => void) | undefined;

  /** Resolves when reading may go on; undefined if it may at once. */
  get closed(): Promise<void> | undefined {
    return this.#closed;
  }

  close(): void {
    this.#closed ??= new Promise(resolve => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#open = undefined;
    this.#closed = undefined;
  }
}
