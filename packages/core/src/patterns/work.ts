/**
 * What judging a stranger's pattern may cost, counted in steps: the same count on every machine, however busy it is. A step
 * is one state of a pattern visited, one comparison in a character class, or one character read.
 */
export class Work {
  #left: number;

  /** @param steps - what may be spent in total */
  constructor(steps: number) {
    this.#left = steps;
  }

  /** True once more was requested than was left; stays true. */
  get usedUp(): boolean {
    return this.#left < 0;
  }

  /** Pays for work done or about to be done. @returns false if the budget is used up */
  spend(steps: number): boolean {
    if (this.#left >= 0) this.#left -= steps;
    return this.#left >= 0;
  }
}
