/** What one judgement may cost, in steps and in depth; exceeding either ends it at once. */
import { Work } from '../patterns/index.ts';

/** Thrown inside this folder: the value stays unjudged. */
export class TooCostly extends Error {}

/** Deeper values and schemas are not followed, so that the stack is never what ends it. */
const deepest = 300;

/** Counts; see `patterns/work.ts` for what a step is. */
export class Steps {
  readonly work: Work;
  #depth = 0;

  /** @param most - steps in all */
  constructor(most: number) {
    this.work = new Work(most);
  }

  /** @throws TooCostly if there is not as much left */
  spend(steps: number): void {
    if (!this.work.spend(steps)) throw new TooCostly('checking it takes too long');
  }

  /** One level down, into a schema or a value. @throws TooCostly if that is too deep */
  down(): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw new TooCostly('it is nested too deeply');
  }

  up(): void {
    this.#depth -= 1;
  }
}
