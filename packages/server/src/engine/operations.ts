/**
 * What a handler is given for an operation of its call: a promise that knows whether anybody awaits it. If one fails while the
 * handler awaits something else, no unhandled rejection ends the process; and if the handler never looks at a failure, the call
 * does not end as if there were none. A handler that forgets to await a question would compare `undefined` with 'decline' and
 * go on as if the person had agreed, so what an answer has is an error on its promise.
 */
import type { MidcallError } from '@midcall/core/errors';
import { failedUnseen, readUnawaited, threwUnawaited } from './run-errors.ts';

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

/** The promise of an answer. */
class Asking<T> extends Operation<T> {
  /** The method of `call` that made it. */
  method = '';

  get action(): never {
    throw readUnawaited('action', this.method);
  }

  get content(): never {
    throw readUnawaited('content', this.method);
  }

  get by(): never {
    throw readUnawaited('by', this.method);
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
  /** Those that have not ended, with their labels. */
  readonly #open = new Map<Operation<unknown>, string>();

  /** @param label - names the operation to its author */
  watch<T>(label: string, work: Promise<T>): Promise<T> {
    return this.#follow(label, work, Operation<T>);
  }

  /** Watches a question. @param method - the method of `call` that asked it */
  watchAsk<T>(label: string, work: Promise<T>, method: string): Promise<T> {
    const asking = this.#follow(label, work, Asking<T>);
    asking.method = method;
    return asking;
  }

  #follow<T, O extends Operation<T>>(
    label: string,
    work: Promise<T>,
    Kind: new (executor: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void) => O,
  ): O {
    const operation = new Kind((resolve, reject) => {
      work.then(
        value => {
          this.#open.delete(operation);
          resolve(value);
        },
        reason => {
          this.#open.delete(operation);
          reject(reason);
          operation.neverUnhandled();
          if (!operation.awaited) this.#failed = [...(this.#failed ?? []), { operation, label, reason }];
        },
      );
    });
    this.#open.set(operation, label);
    return operation;
  }

  /** `ask/not-awaited` if an operation has failed and nobody has looked at it. */
  unseen(): MidcallError | undefined {
    const unseen = this.#failed?.find(({ operation }) => !operation.awaited);
    return unseen && failedUnseen(unseen.label, unseen.reason);
  }

  /**
   * What is wrong with a handler that threw. A handler that uses a promise as if it were the value fails with a TypeError that
   * says nothing of the missing `await`. A TypeError of a step is not one here, since a step's errors are copies.
   * @returns `ask/not-awaited` if an operation is open that nobody awaits
   */
  explain(thrown: unknown): MidcallError | undefined {
    // A TypeError with a cause was thrown by a library, such as fetch.
    if (!(thrown instanceof TypeError) || thrown.cause !== undefined) return undefined;
    const open = [...this.#open].flatMap(([operation, label]) => (operation.awaited ? [] : label));
    return open.length > 0 ? threwUnawaited(open, thrown) : undefined;
  }
}
