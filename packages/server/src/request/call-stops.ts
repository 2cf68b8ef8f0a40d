/** Tells the calls in progress of an instance that it stops; see `core/stop/`. */

/** A call in progress. */
export interface StoppableCall {
  /** Puts its questions to rest, and those that it asks from now on (stop-S2). */
  rest(): void;
  /** Ends it with an error that says what was done (stop-S4). */
  end(): void;
}

export class CallStops {
  readonly #calls = new Set<StoppableCall>();
  #isStopping = false;
  #isOver = false;

  /** True if no new calls are taken. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** @returns a function to be called when the call has ended */
  watch(call: StoppableCall): () => void {
    this.#calls.add(call);
    if (this.#isStopping) call.rest();
    if (this.#isOver) call.end();
    return () => void this.#calls.delete(call);
  }

  begin(): void {
    this.#isStopping = true;
    for (const call of [...this.#calls]) call.rest();
  }

  end(): void {
    this.#isOver = true;
    for (const call of [...this.#calls]) call.end();
  }
}
