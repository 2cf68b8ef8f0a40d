/**
 * Stops a call. Most calls end by themselves and nobody needs an `AbortSignal` for them, so one is created on demand: creating it,
 * listening to it and firing it costs more than the rest of a call.
 */

/** The part of an `AbortSignal` that listeners need. */
export interface AbortWatch {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The abort of one call. */
export class CallAbort implements AbortWatch {
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;
  #reason: { readonly value: unknown } | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): unknown {
    return this.#reason?.value;
  }

  /** For callers that need an `AbortSignal`. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason.value);
    }
    return this.#controller.signal;
  }

  /** Fires once; later reasons are ignored. */
  abort(reason: unknown): void {
    if (this.#reason) return;
    this.#reason = { value: reason };
    // The SDK goes first: the task follower must still know the task when the SDK's cancellation of its request passes by.
    this.#controller?.abort(reason);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of [...listeners]) listener();
  }

  /** @param listener - called at most once, as this fires once */
  addEventListener(_: 'abort', listener: () => void): void {
    if (this.#reason) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
