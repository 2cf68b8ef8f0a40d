/**
 * Texts of one process, each under a key and until its time: a Map with a clock and a bound. No live text is dropped to make
 * room; its owner decides what happens when it is full. Expired texts are removed as others are added (memory-M2).
 */
import type { Clock } from '../time/index.ts';

interface Entry {
  readonly text: string;
  /** The first millisecond at which it has expired. */
  readonly expires: number;
}

/** Entries looked at per new text. Two, so that the walk is always faster than the growth. */
const STEPS = 2;
/** A full map is searched again after this many milliseconds for each text in it. */
const SWEEP_PAUSE_MS = 0.001;

/** A map of texts with expiry times and a bound on its size, in the memory of one process. */
export class BoundedTexts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  readonly #entries = new Map<string, Entry>();
  #characters = 0;
  #walk = this.#entries.entries();
  /** Before this moment a walk over everything would free nothing, or too little for its cost. */
  #nextSweep = 0;

  /** @param maxCharacters - of all keys and texts */
  constructor(clock: Pick<Clock, 'now'>, maxEntries: number, maxCharacters: number) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The characters of all keys and texts, including expired ones that are not removed yet. */
  get characters(): number {
    return this.#characters;
  }

  get(key: string): string | undefined {
    return this.#live(key)?.text;
  }

  /**
   * Stores a text under a key, replacing any other.
   * @param expires - the first millisecond at which it has expired
   * @returns false if there is no room for it; then nothing has changed
   */
  set(key: string, text: string, expires: number): boolean {
    const current = this.#live(key);
    if (!current) this.#tidy();
    const longer = text.length - (current ? current.text.length : -key.length);
    if (!this.#hasRoom(current ? 0 : 1, longer)) return false;
    this.#nextSweep = Math.min(
      this.#nextSweep,
      Math.max(expires, this.#clock.now() + this.#entries.size * SWEEP_PAUSE_MS),
    );
    this.#entries.set(key, { text, expires });
    this.#characters += longer;
    return true;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#characters -= key.length + entry.text.length;
    this.#entries.delete(key);
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry || entry.expires > this.#clock.now()) return entry;
    this.delete(key);
    return undefined;
  }

  #tidy(): void {
    const time = this.#clock.now();
    for (let step = 0; step < STEPS; step++) {
      const next = this.#walk.next();
      if (next.done) {
        this.#walk = this.#entries.entries();
        return;
      }
      if (next.value[1].expires <= time) this.delete(next.value[0]);
    }
  }

  #hasRoom(more: number, longer: number): boolean {
    if (this.#fits(more, longer)) return true;
    this.#sweep();
    return this.#fits(more, longer);
  }

  #fits(more: number, longer: number): boolean {
    return this.#entries.size + more <= this.#maxEntries && this.#characters + longer <= this.#maxCharacters;
  }

  #sweep(): void {
    const time = this.#clock.now();
    if (time < this.#nextSweep) return;
    this.#nextSweep = Number.POSITIVE_INFINITY;
    for (const [key, { expires }] of this.#entries) {
      if (expires <= time) this.delete(key);
      else this.#nextSweep = Math.min(this.#nextSweep, expires);
    }
    this.#nextSweep = Math.max(this.#nextSweep, time + this.#entries.size * SWEEP_PAUSE_MS);
  }
}
