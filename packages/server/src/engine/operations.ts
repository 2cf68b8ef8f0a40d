/**
 * What a handler is given for an operation of its call: a promise that knows whether anybody awaits it. If one fails while the
 * handler awaits something else, the process is not ended by an unhandled rejection; and if the handler never looks at a
 * failure, it does not end as if there were none.
 */
import type { MidcallError } from '@midcall/core/errors';
import { failedUnseen } from './run-errors.ts';

class Operation<T> extends Promise<T> {
  /** What follows an operation is a plain promise, which is the handler's own. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  awaited = false;

  // biome-ignore lint/suspicious/noThenProperty: a promise that hears who waits for it
  override then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.awaited = true;
    return super.then(done, failed);
  }

  /** Does not end the process, and does not count as awaiting it. */
  neverUnhandled(): void {
    void super.then(undefined, ignored);
  }
}

const ignored = (): void => {};

interface Failed {
  readonly operation: Operation<unknown>;
  readonly label: string;
  readonly reason: unknown;
}

/** The operations of one run. */
export class Operations {
  #failed: Failed[] | undefined;

  /** @param label - names the operation to its author */
  watch<T>(label: string, work: Promise<T>): Promise<T> {
    const operation = new Operation<T>((resolve, reject) => {
      work.then(resolve, reason => {
        reject(reason);
        operation.neverUnhandled();
        if (!operation.awaited) this.#failed = [...(this.#failed ?? []), { operation, label, reason }];
      });
    });
    return operation;
  }

  /** `ask/not-awaited`, where an operation has failed and nobody has looked at it. */
  unseen(): MidcallError | undefined {
    const unseen = this.#failed?.find(({ operation }) => !operation.awaited);
    return unseen && failedUnseen(unseen.label, unseen.reason);
  }
}
