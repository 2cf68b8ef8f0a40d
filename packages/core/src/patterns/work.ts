/**
 * What judging a stranger's pattern may cost, counted in steps: the same count on every machine, however busy it is. A step
 * is one state of a pattern visited, one comparison in a character class, or one character read.
 */
export class Work {
  #left: number;

  /** @param steps - what may be spent in all */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** True once more was asked for than there was; it stays true. */
  get usedUp(): boolean {
    return this.#left < 0;
  }

  /** Pays for what was done, or is about to be. @returns false where the budget is used up */
  spend(steps: number): boolean {
    if (this.#left >= 0) this.#left -= steps;
    return this.#left >= 0;
  }
}
