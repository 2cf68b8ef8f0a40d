/** How a person likes their desk: what is folded, and which tools they come back to. */

/** What is remembered, as plain data. */
export interface PreferencesRecord {
  /** By server: true where its tools are folded away beside every page. */
  readonly folds: Readonly<Record<string, boolean>>;
}

/** More entries than this are not remembered; the oldest go first. */
const mostEntries = 500;

/** The preferences of one desk. */
export class Preferences {
  readonly #folds: Map<string, boolean>;
  readonly #onChange: () => void;

  /** @param onChange - told after every change */
  constructor(before: PreferencesRecord | undefined, onChange: () => void) {
    this.#folds = new Map(Object.entries(before?.folds ?? {}));
    this.#onChange = onChange;
  }

  /** Whether a server's tools are folded away; undefined where the person never said. */
  isFolded(serverId: string): boolean | undefined {
    return this.#folds.get(serverId);
  }

  fold(serverId: string, folded: boolean): void {
    this.#folds.delete(serverId);
    this.#folds.set(serverId, folded);
    for (const oldest of this.#folds.keys()) {
      if (this.#folds.size <= mostEntries) break;
      this.#folds.delete(oldest);
    }
    this.#onChange();
  }
}
