/**
 * Which of the roots a path means, and work done there. A relative path may mean a place in each root; a root is entered during
 * any work in it, so that a released one stays held until the work is done.
 */
import { isMidcallError } from '@midcall/core/errors';
import { closeEntry, entryOf } from './directory-entry.ts';
import { type Place, placesOf } from './name.ts';
import type { ResolvedPath } from './platform.ts';
import { closed, fromSystem, notFound, outside } from './refusal.ts';
import type { Scope, ScopeRoot } from './scope.ts';
import { inOneGo, type Now, type Steps, settled } from './steps.ts';
import { timeSlice } from './time-slice.ts';
import { below, within } from './within.ts';

export class PathResolver {
  readonly #scope: Scope;
  #closed = false;

  /** Owns one share of the scope until {@link close}. */
  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Starts nothing more; operations in progress end first, then the roots are released. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#scope.release();
  }

  /** Runs `work` at the first place where something is. */
  atFirst<T>(path: string, work: (resolved: ResolvedPath) => Now<T>): Promise<T> {
    return this.tryEach(path, resolved => this.during(resolved, work));
  }

  /** The result of `at` for the first place where something is; `at` enters the root itself, with {@link entered}. */
  async tryEach<T>(path: string, at: (resolved: ResolvedPath) => Now<T>): Promise<T> {
    const places = this.#places(path);
    const last = places.length - 1;
    for (let index = 0; index < last; index += 1) {
      try {
        return await at(this.#resolved(path, places[index]!));
      } catch (error) {
        if (!isMidcallError(error, 'roots/not-found')) throw error;
      }
    }
    if (last < 0) throw notFound(path);
    return await at(this.#resolved(path, places[last]!));
  }

  /** Runs `work` once: at the first place where something is, counting links themselves, otherwise at the first. */
  async atOne<T>(path: string, work: (resolved: ResolvedPath) => Now<T>): Promise<T> {
    const places = this.#places(path);
    if (places.length === 1) return await this.during(this.#resolved(path, places[0]!), work);
    for (const place of places) {
      const resolved = this.#resolved(path, place);
      if (await this.during(resolved, () => this.#occupied(resolved))) return await this.during(resolved, work);
    }
    return await this.during(this.#resolved(path, places[0]!), work);
  }

  /** As {@link atOne}, for two paths at once. */
  async atTwo(
    from: string,
    to: string,
    work: (source: ResolvedPath, target: ResolvedPath) => Promise<void>,
  ): Promise<void> {
    await this.atOne(from, source => this.atOne(to, target => work(source, target)));
  }

  /** Runs `work` while its root is entered, once this turn has time for it. */
  during<T>(resolved: ResolvedPath, work: (resolved: ResolvedPath) => Now<T>): Now<T> {
    return inOneGo(this.#attended(resolved, work));
  }

  /** Runs `work` while its root is entered; system errors are reported for the path as given. */
  *entered<T>(resolved: ResolvedPath, work: (resolved: ResolvedPath) => Now<T>): Steps<T> {
    if (this.#closed) throw closed();
    resolved.root.enter();
    try {
      return yield* settled(work(resolved));
    } catch (error) {
      throw fromSystem(resolved.requested, error);
    } finally {
      resolved.root.leave();
    }
  }

  /** A real path inside the boundary, resolved below the root that contains it. @throws MidcallError roots/outside */
  real(requested: string, path: string): ResolvedPath {
    const { separator } = this.#scope.platform;
    const root = this.#scope.roots.find(each => each.hold.live && within(path, each.path, separator));
    if (!root) throw outside(requested, this.#scope);
    return { requested, root: root.hold, rel: below(path, root.path, separator), bounds: this.#scope };
  }

  *#attended<T>(resolved: ResolvedPath, work: (resolved: ResolvedPath) => Now<T>): Steps<T> {
    const wait = timeSlice();
    if (wait) yield wait;
    return yield* this.entered(resolved, work);
  }

  async #occupied(resolved: ResolvedPath): Promise<boolean> {
    if (resolved.rel === '') return true;
    try {
      const entry = await entryOf(this.#scope.platform, resolved);
      closeEntry(entry);
      return entry.thing !== undefined;
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return false;
      throw error;
    }
  }

  #places(requested: string): Place<ScopeRoot>[] {
    return placesOf(requested, this.#scope.roots, this.#scope.platform, this.#scope);
  }

  #resolved(requested: string, { root, rel }: Place<ScopeRoot>): ResolvedPath {
    return { requested, root: root.hold, rel, bounds: this.#scope };
  }
}
