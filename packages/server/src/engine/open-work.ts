/**
 * The steps and file operations of one run that are in progress, and which of them the code that is running belongs to. An ask
 * in parallel with a step is fine; the same ask made by the step's own function could never be sent, since a round waits for
 * open steps. Only the asynchronous context distinguishes the two. It is tracked only while an author's function runs, because
 * tracking slows every promise of the process; calls without steps pay nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { shortLabel, type WorkKind } from './journal.ts';

/** One piece of work, by the name an author knows it by. */
export interface Piece {
  readonly label: string;
}

export const pieceOf = (kind: WorkKind, name: string): Piece => ({
  label: kind === 'check' ? `the check of the answer to '${shortLabel(name)}'` : `step '${name}'`,
});

const context = new AsyncLocalStorage<Piece>();
let followed = 0;

/** Runs an author's function so that whatever it starts is attributed to it, even after an `await`. */
export async function followedAs<V>(piece: Piece, fn: () => V | Promise<V>): Promise<V> {
  followed++;
  try {
    return await context.run(piece, fn);
  } finally {
    if (--followed === 0) stopFollowing();
  }
}

function stopFollowing(): void {
  try {
    context.disable();
  } catch {
    // workerd has no switch for it, and tracks at no cost.
  }
}

/** The piece of work whose function is running: of any run, in progress or ended. */
export const runningPiece = (): Piece | undefined => (followed === 0 ? undefined : context.getStore());

const none: readonly Piece[] = [];

export class OpenWork {
  /** Replaced, not changed: most runs have none, and many may be waiting at once. */
  #pieces: readonly Piece[] = none;
  #whenNone: (() => void)[] | undefined;

  get size(): number {
    return this.#pieces.length;
  }

  get labels(): readonly string[] {
    return this.#pieces.map(piece => piece.label);
  }

  /** The piece of this run's work whose function is running, if any. */
  get running(): Piece | undefined {
    const piece = this.#pieces.length === 0 ? undefined : runningPiece();
    return piece && this.#pieces.includes(piece) ? piece : undefined;
  }

  begin(piece: Piece): void {
    this.#pieces = [...this.#pieces, piece];
  }

  /** Also called for a piece that will never end, since what it waits for never comes. */
  end(piece: Piece): void {
    const at = this.#pieces.indexOf(piece);
    if (at >= 0) this.#pieces = this.#pieces.toSpliced(at, 1);
    if (this.#pieces.length === 0) this.#none();
  }

  /** Stops waiting for anything. */
  abandon(): void {
    this.#pieces = none;
    this.#none();
  }

  /** Resolves when nothing is in progress. */
  async none(): Promise<void> {
    if (this.#pieces.length === 0) return;
    await new Promise<void>(resolve => {
      this.#whenNone ??= [];
      this.#whenNone.push(resolve);
    });
  }

  #none(): void {
    const waiting = this.#whenNone ?? [];
    this.#whenNone = undefined;
    for (const tell of waiting) tell();
  }
}
