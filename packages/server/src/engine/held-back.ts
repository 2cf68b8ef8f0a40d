/** The operations of one run that were begun while its round was open (run-E4). */
export class HeldBack {
  #all: (() => void)[] = [];

  /** Resolves when they are released; never if they are not. */
  wait(): Promise<void> {
    return new Promise(resolve => {
      this.#all.push(resolve);
    });
  }

  /** Lets them go on, in the order in which they were begun. */
  release(): void {
    const all = this.#all;
    this.#all = [];
    for (const each of all) each();
  }
}
