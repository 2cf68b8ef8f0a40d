/**
 * The listeners of an object. One that throws, or rejects, is reported, and changes neither what happened nor what the
 * others are told.
 */
import { visible } from '@midcall/core/text';

/** The subscribers of one object. */
export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>();
  readonly #onError: (error: unknown) => void;

  /** @param onError - called with what a listener throws; it is written to standard error, with its stack, if absent */
  constructor(onError: (error: unknown) => void = report) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Calls `listener` for every event from now on. @returns ends that */
  add(listener: (event: Event) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(event: Event): void {
    for (const listener of this.#all) {
      try {
        // In JavaScript, it may be an async function.
        const told: unknown = listener(event);
        if (told instanceof Promise) told.catch(this.#onError);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function report(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`midcall: a subscriber failed: ${visible(text, { lines: true, max: 4_000 })}`);
}
