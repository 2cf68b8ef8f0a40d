/** The signal of a run; created on first access, since most handlers never use it. */
export class RunSignal {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
