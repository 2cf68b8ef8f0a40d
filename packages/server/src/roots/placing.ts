/**
 * Which of the roots a path means, and work done there. A relative path may mean a place in each root; a root is entered
 * while anything is done in it, so that one that is let go stays held until then.
 */
import { isMidcallError } from '@midcall/core/errors';
import type { Placed } from './ground.ts';
import { closeLeaf, leafOf } from './leaf.ts';
import { type Place, placesOf } from './name.ts';
import { pace } from './pace.ts';
import { closed, fromSystem, notFound, outside } from './refusal.ts';
import type { Scope, ScopeRoot } from './scope.ts';
import { inOneGo, type Now, type Steps, settled } from './steps.ts';
import { below, within } from './within.ts';

export class Placing {
  readonly #scope: Scope;
  #closed = false;

  /** Owns one share of the scope until {@link close}. */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Begins nothing any more; what is under way ends first, then the roots are let go. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#scope.release();
  }

  /** Runs `work` at the first place where something is. */
  atFirst<T>(path: string, work: (placed: Placed) => Now<T>): Promise<T> {
    return this.tryEach(path, placed => this.during(placed, work));
  }

  /** What the first place gives where something is; `at` enters the root itself, with {@link entered}. */
  async tryEach<T>(path: string, at: (placed: Placed) => Now<T>): Promise<T> {
    const places = this.#places(path);
    const last = places.length - 1;
    for (let index = 0; index < last; index += 1) {
      try {
        return await at(this.#placed(path, places[index]!));
      } catch (error) {
        if (!isMidcallError(error, 'roots/not-found')) throw error;
      }
    }
    if (last < 0) throw notFound(path);
    return await at(this.#placed(path, places[last]!));
  }

  /** Runs `work` once: at the first place where something is, links themselves included, else at the first. */
  async atOne<T>(path: string, work: (placed: Placed) => Now<T>): Promise<T> {
    const places = this.#places(path);
    if (places.length === 1) return await this.during(this.#placed(path, places[0]!), work);
    for (const place of places) {
      const placed = this.#placed(path, place);
      if (await this.during(placed, () => this.#occupied(placed))) return await this.during(placed, work);
    }
    return await this.during(this.#placed(path, places[0]!), work);
  }

  /** As {@link atOne}, for two paths at once. */
  async atTwo(from: string, to: string, work: (source: Placed, target: Placed) => Promise<void>): Promise<void> {
    await this.atOne(from, source => this.atOne(to, target => work(source, target)));
  }

  /** Runs `work` while its root is entered, once this turn has time for it. */
  during<T>(placed: Placed, work: (placed: Placed) => Now<T>): Now<T> {
    return inOneGo(this.#attended(placed, work));
  }

  /** Runs `work` while its root is entered; what the system says is told about the path as it was given. */
  *entered<T>(placed: Placed, work: (placed: Placed) => Now<T>): Steps<T> {
    if (this.#closed) throw closed();
    placed.root.enter();
    try {
      return yield* settled(work(placed));
    } catch (error) {
      throw fromSystem(placed.given, error);
    } finally {
      placed.root.leave();
    }
  }

  /** A real path inside, placed below the root that holds it. @throws MidcallError roots/outside */
  real(given: string, path: string): Placed {
    const { separator } = this.#scope.ground;
    const root = this.#scope.roots.find(each => each.hold.live && within(path, each.path, separator));
    if (!root) throw outside(given, this.#scope);
    return { given, root: root.hold, rel: below(path, root.path, separator), reach: this.#scope };
  }

  *#attended<T>(placed: Placed, work: (placed: Placed) => Now<T>): Steps<T> {
    const wait = pace();
    if (wait) yield wait;
    return yield* this.entered(placed, work);
  }

  async #occupied(placed: Placed): Promise<boolean> {
    if (placed.rel === '') return true;
    try {
      const leaf = await leafOf(this.#scope.ground, placed);
      closeLeaf(leaf);
      return leaf.thing !== undefined;
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return false;
      throw error;
    }
  }

  #places(given: string): Place<ScopeRoot>[] {
    return placesOf(given, this.#scope.roots, this.#scope.ground, this.#scope);
  }

  #placed(given: string, { root, rel }: Place<ScopeRoot>): Placed {
    return { given, root: root.hold, rel, reach: this.#scope };
  }
}
