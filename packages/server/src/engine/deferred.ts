/** Functions passed to `call.defer`: each runs once, however the run ends, and may start no operation of the call. */
import { followedAs, type Piece, runningPiece } from './open-work.ts';
import type { EngineOptions } from './seam.ts';

/**
 * How a run ended: the handler returned (`done`) or failed, its questions were sent and are answered in another run
 * (`suspended`), or its client cancelled it or is gone.
 */
export type RunOutcome = 'done' | 'failed' | 'suspended' | 'cancelled';

type Cleanup = (end: RunOutcome) => void | Promise<void>;

/** Shared by runs that defer nothing, to save memory. */
const none: readonly Cleanup[] = [];

/** The context in which deferred functions run. */
const cleanup: Piece = { label: 'call.defer' };

export class Deferred {
  #fns: readonly Cleanup[] = none;
  #end: RunOutcome | undefined;
  readonly #options: Pick<EngineOptions, 'onDeferError'>;

  constructor(options: Pick<EngineOptions, 'onDeferError'>) {
    this.#options = options;
  }

  /** True if the running code belongs to one of them. */
  static get running(): boolean {
    return runningPiece() === cleanup;
  }

  add(fn: Cleanup): void {
    this.#fns = [...this.#fns, fn];
  }

  /** Runs all of them, the last one first. @returns undefined if there are none to wait for */
  runAll(end: RunOutcome): Promise<void> | undefined {
    this.#end ??= end;
    return this.#fns.length > 0 ? this.#runEach() : undefined;
  }

  async #runEach(): Promise<void> {
    const fns = this.#fns.toReversed();
    this.#fns = none;
    for (const fn of fns) await this.run(fn);
  }

  /** Runs one function of a run that has ended. */
  async run(fn: Cleanup): Promise<void> {
    try {
      await followedAs(cleanup, () => fn(this.#end ?? 'done'));
    } catch (error) {
      this.#options.onDeferError?.(error);
    }
  }
}
