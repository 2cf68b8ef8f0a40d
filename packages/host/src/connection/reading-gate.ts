/** Pauses reading from a server while its messages are not consumed: they are not buffered here but wait at their source. */
export class ReadingGate {
  #closed: Promise<void> | undefined;
  #open: (() => void) | undefined;

  /** Resolves when reading may continue; undefined if it may at once. */
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
