/** Functions passed to `call.defer`: each runs once, however the run ends, and may start no operation of the call. */
import { followedAs, type Piece, runningPiece } from './open-work.ts';

/**
 * How a run ended: the handler returned (`done`) or failed, its questions were sent and are answered in another run
 * (`suspended`), or its client cancelled it or is gone.
 */
export type RunEnd = 'done' | 'failed' | 'suspended' | 'cancelled';

type Cleanup = (end: RunEnd) => void | Promise<void>;

/** The context in which deferred functions run. */
const cleanup: Piece = { label: 'call.defer' };

export class Deferred {
  readonly #fns: Cleanup[] = [];
  #end: RunEnd | undefined;
  readonly #failed: ((error: unknown) => void) | undefined;

  /** @param failed - called with what one of them threw */
  constructor(failed: ((error: unknown) => void) | undefined) {
    this.#failed = failed;
  }

  /** True if the running code belongs to one of them. */
  static get running(): boolean {
    return runningPiece() === cleanup;
  }

  add(fn: Cleanup): void {
    this.#fns.push(fn);
  }

  /** Runs all of them, the last one first. @returns undefined if there are none to wait for */
  runAll(end: RunEnd): Promise<void> | undefined {
    this.#end ??= end;
    return this.#fns.length > 0 ? this.#runEach() : undefined;
  }

  async #runEach(): Promise<void> {
    for (const fn of this.#fns.splice(0).reverse()) await this.run(fn);
  }

  /** Runs one function of a run that has ended. */
  async run(fn: Cleanup): Promise<void> {
    try {
      await followedAs(cleanup, () => fn(this.#end ?? 'done'));
    } catch (error) {
      this.#failed?.(error);
    }
  }
}
