/**
 * The cancellation of one call, in place of the AbortController that the SDK would make for it: a signal and its listeners cost
 * more than the rest of a short call, and most handlers never look at one. The signal is made when somebody reads it.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import { KeptWith } from '../base/index.ts';

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

/** Whoever is to be told that a call was cancelled, or that its client is gone. */
export interface CancelListener {
  gone(reason: unknown): void;
}

export class Cancellation {
  #controller: AbortController | undefined;
  #listener: CancelListener | undefined;
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
    const listener = this.#listener;
    this.#listener = undefined;
    try {
      listener?.gone(reason);
    } catch (error) {
      // As a signal reports what its listeners throw: the SDK goes on to its next call.
      queueMicrotask(() => {
        throw error;
      });
    }
    this.#controller?.abort(reason);
  }

  /**
   * Sets the one listener that is told of a cancellation; it is not told of one that was before.
   * @param listener - undefined to tell nobody any more
   */
  listen(listener: CancelListener | undefined): void {
    this.#listener = listener;
  }
}
