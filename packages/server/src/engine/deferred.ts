/** What `call.defer` was given: runs once, however the run ends, and may start nothing of the call. */
import { followedAs, type Piece, runningPiece } from './open-work.ts';

type Cleanup = () => void | Promise<void>;

/** What `defer` was given runs as this. */
const cleanup: Piece = { label: 'call.defer' };

export class Deferred {
  readonly #fns: Cleanup[] = [];
  readonly #failed: ((error: unknown) => void) | undefined;

  /** @param failed - told of what one of them threw */
  constructor(failed: ((error: unknown) => void) | undefined) {
    this.#failed = failed;
  }

  /** True where the code that runs just now is one of them. */
  static get running(): boolean {
    return runningPiece() === cleanup;
  }

  add(fn: Cleanup): void {
    this.#fns.push(fn);
  }

  /** Runs all of them, the last one first. */
  async runAll(): Promise<void> {
    for (const fn of this.#fns.splice(0).reverse()) await this.run(fn);
  }

  async run(fn: Cleanup): Promise<void> {
    try {
      await followedAs(cleanup, fn);
    } catch (error) {
      this.#failed?.(error);
    }
  }
}
