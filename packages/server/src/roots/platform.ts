/**
 * What a platform can do, and all that differs between platforms: holding a directory, and resolving a name to the file itself.
 * Everything above acts on `at`, which leads to the opened file (`held.ts`) or at least to its last known location
 * (`checked.ts`).
 */
import type { Stats } from 'node:fs';
import type { Guarantee } from './files.ts';
import type { AllowedFolders } from './refusal.ts';
import type { HeldDirectory, RootHold } from './root-hold.ts';
import type { Now } from './steps.ts';
import type { Os } from './within.ts';

/** The roots an operation may reach, and what a refusal may say. */
export interface Bounds extends AllowedFolders {
  /** True for a real path inside a root that is still granted. */
  inside(real: string): boolean;
}

/** A resolved name: its root, its path below that, and the name as given. */
export interface ResolvedPath {
  readonly requested: string;
  readonly root: RootHold;
  /** Below the root, normal, without `..`; '' for the root itself. */
  readonly rel: string;
  readonly bounds: Bounds;
}

/** A directory, open for the length of one operation. */
export interface Folder {
  readonly at: string;
  /** Real path. */
  readonly path: string;
  close(): void;
}

/** A file, directory, link or other thing, open for the length of one operation. */
export interface Thing extends Folder {
  readonly stat: Stats;
}

export interface Platform {
  readonly guarantee: Guarantee;
  readonly os: Os;
  readonly separator: '/' | '\\';
  /** Holds a directory; throws the system's error if there is none. */
  hold(path: string): HeldDirectory;
  /** Which directory a path leads to now, as device and inode; undefined if it leads to none. */
  identify(path: string): string | undefined;
  /** The present location of an open descriptor, as well as this platform can tell; undefined if it cannot. */
  whereabouts(fd: number, path: string): string | undefined;
  /** Opens a directory, following links that stay inside. @throws MidcallError */
  folder(resolved: ResolvedPath): Now<Folder>;
  /** Opens whatever is there, following links that stay inside. Opens no contents: safe with FIFOs and devices. @throws MidcallError */
  thing(resolved: ResolvedPath): Now<Thing>;
  /** As {@link thing}, for callers that only need to know whether it exists: returns, or throws. */
  present(resolved: ResolvedPath): Now<void>;
  /** The entry of an open directory under one name, links not followed; undefined if there is none. */
  child(resolved: ResolvedPath, folder: Folder, name: string | Buffer): Now<Thing | undefined>;
  /** True while an open directory is still inside. */
  still(resolved: ResolvedPath, folder: Folder): Now<boolean>;
  /** A descriptor with `flags` for exactly this thing. */
  reopen(resolved: ResolvedPath, thing: Thing, flags: number): Now<number>;
}
