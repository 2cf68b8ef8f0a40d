/**
 * The cancellation of one call, in place of the AbortController that the SDK would make for it: a signal and its listeners cost
 * more than the rest of a short call, and most handlers never look at one. The signal is made when somebody reads it.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { KeptWith } from '../kept-with.ts';

type RequestContext = ServerContext['mcpReq'];

const cancellations = new KeptWith<RequestContext, Cancellation>();

/** The getter of every such context: one function, so that all of them have one hidden class. */
const signal: PropertyDescriptor = {
  get(this: RequestContext): AbortSignal | undefined {
    return cancellations.get(this)?.signal;
  },
  enumerable: true,
  configurable: true,
};

export class Cancellation {
  #controller: AbortController | undefined;
  #onCancel: ((reason: unknown) => void) | undefined;
  #isCancelled = false;
  #reason: unknown;

  /** The cancellation of a call; undefined if its context has a signal of its own, as a copy of one has. */
  static of(mcpReq: RequestContext): Cancellation | undefined {
    return cancellations.get(mcpReq);
  }

  /** Becomes the `signal` of a context that has none. */
  attach(mcpReq: RequestContext): void {
    cancellations.set(mcpReq, this);
    Object.defineProperty(mcpReq, 'signal', signal);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first call counts. Called by the SDK. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#reason = reason;
    const onCancel = this.#onCancel;
    this.#onCancel = undefined;
    try {
      onCancel?.(reason);
    } catch (error) {
      // As a signal reports what its listeners throw: the SDK goes on to its next call.
      queueMicrotask(() => {
        throw error;
      });
    }
    this.#controller?.abort(reason);
  }

  /**
   * Sets the one function that is called on cancellation; nothing is called if it was cancelled before.
   * @param onCancel - undefined to call nothing any more
   */
  listen(onCancel: ((reason: unknown) => void) | undefined): void {
    this.#onCancel = onCancel;
  }
}
