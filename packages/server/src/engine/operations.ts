/**
 * What a handler is given for an operation of its call: a promise that knows whether anybody awaits it. If one fails while the
 * handler awaits something else, no unhandled rejection ends the process; and if the handler never looks at a failure, the call
 * does not end as if there were none.
 */
import type { MidcallError } from '@midcall/core/errors';
import { failedUnseen } from './run-errors.ts';

class Operation<T> extends Promise<T> {
  /** A promise derived from an operation is a plain one, and the handler's own concern. */
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

  /** Prevents an unhandled rejection, without counting as awaiting it. */
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

  /** `ask/not-awaited` if an operation has failed and nobody has looked at it. */
  unseen(): MidcallError | undefined {
    const unseen = this.#failed?.find(({ operation }) => !operation.awaited);
    return unseen && failedUnseen(unseen.label, unseen.reason);
  }
}
