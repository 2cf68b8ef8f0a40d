/**
 * The effective roots at one moment, from what the operator allows and the client granted, as held directories. A scope never
 * changes; a new list makes a new scope. Its roots may be shared with the scope before it and after it.
 */
import type { Bounds, Platform } from './platform.ts';
import type { RootHold } from './root-hold.ts';
import { within } from './within.ts';

/** One effective root. */
export interface ScopeRoot {
  readonly hold: RootHold;
  /** Real path. */
  readonly path: string;
  /** Other absolute paths by which it was granted. */
  readonly aliases: readonly string[];
  readonly name?: string;
}

/** A root of the client that could not be used. */
export interface Dropped {
  readonly uri: string;
  readonly reason: string;
}

export class Scope implements Bounds {
  readonly platform: Platform;
  readonly roots: readonly ScopeRoot[];
  readonly dropped: readonly Dropped[];
  readonly grant: string;
  /** The real paths of the client's root URIs. */
  readonly pins: ReadonlyMap<string, string>;

  constructor(
    platform: Platform,
    roots: readonly ScopeRoot[],
    dropped: readonly Dropped[],
    grant: string,
    pins: ReadonlyMap<string, string>,
  ) {
    this.platform = platform;
    this.roots = roots;
    this.dropped = dropped;
    this.grant = grant;
    this.pins = pins;
  }

  inside(real: string): boolean {
    for (const root of this.roots) {
      if (root.hold.live && within(real, root.path, this.platform.separator)) return true;
    }
    return false;
  }

  /** One more owner of every root. */
  retain(): this {
    for (const root of this.roots) root.hold.retain();
    return this;
  }

  /** One owner less. */
  release(): void {
    for (const root of this.roots) root.hold.release();
  }
}
