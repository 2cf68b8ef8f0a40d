/**
 * What a handler may do with files. Every path is a name: relative to a root, absolute, or a `file:` URI, and all three
 * mean the same. A relative name with several roots means the first root where it exists; for something new, the first
 * root. No operation checks a string and uses it later; each acts on what it opened.
 *
 * Refusals are `MidcallError`s: `roots/none`, `roots/outside`, `roots/revoked`, `roots/not-found`, `roots/exists`,
 * `roots/invalid`, `roots/io`. They name the path as given and the boundary, and reveal nothing outside it.
 */
import type { Readable } from 'node:stream';

/** What an implementation can guarantee: `held` acts on descriptors and cannot be raced out; `checked` can be. */
export type Guarantee = 'held' | 'checked';

/** One name in a directory. */
export interface Entry {
  readonly name: string;
  /** Absolute path, inside a root. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/** What is known about one file. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Kind and permissions, as in `stat`. */
  readonly mode: number;
}

/** An open file; refuses at once when its root is withdrawn. */
export interface FileHandle extends AsyncDisposable {
  readonly path: string;
  /** Reads bytes. @param options - `position` and `length` in bytes; the whole file if absent */
  read(options?: { readonly position?: number; readonly length?: number }): Promise<Uint8Array>;
  /**
   * Writes bytes, or text as UTF-8. @param options - `position` in bytes, 0 if absent; a file opened with `a` is always
   * appended to
   */
  write(data: string | Uint8Array, options?: { readonly position?: number }): Promise<void>;
  /** The metadata of the open file, whatever its name leads to now. */
  stat(): Promise<FileStat>;
  /** Closes it when what is in progress has finished. */
  close(): Promise<void>;
}

/** Close it when the call it belongs to ends; files opened through it stay open until they are closed or withdrawn. */
export interface Files extends AsyncDisposable {
  /** The effective roots: real directories, absolute paths. */
  readonly roots: readonly { readonly path: string; readonly name?: string }[];
  /** Folders that were granted but cannot be used, each with the reason. */
  readonly leftOut: readonly { readonly uri: string; readonly reason: string }[];
  readonly guarantee: Guarantee;
  /** Opens an existing file. @param mode - `r` (default), `r+`, `a` */
  open(path: string, mode?: 'r' | 'r+' | 'a'): Promise<FileHandle>;
  /** Reads bytes. @param options - `position` and `length` in bytes; the whole file if absent */
  read(path: string, options?: { readonly position?: number; readonly length?: number }): Promise<Uint8Array>;
  /** UTF-8. Links that stay inside are followed. */
  readText(path: string): Promise<string>;
  /** Reads a file piece by piece. */
  stream(path: string): Promise<Readable>;
  /** Replaces or creates a file in one step (new file, then rename); keeps the mode; creates missing folders inside the root. */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** Adds to the end of a file; creates it, and missing folders, if there is none. */
  append(path: string, data: string | Uint8Array): Promise<void>;
  /** Creates a file that must not exist yet, and missing folders. */
  create(path: string, data: string | Uint8Array): Promise<void>;
  /** The names in a directory, in no particular order. */
  list(path: string): Promise<Entry[]>;
  /** Every file below a directory, links not followed; directories whose name `skip` accepts are left out. */
  walk(path: string, options?: { readonly skip?: (entry: Entry) => boolean }): AsyncIterable<Entry>;
  /** The metadata of a name; a link that stays inside is followed. */
  stat(path: string): Promise<FileStat>;
  /** Whether something inside has this name; names outside are refused, not answered. */
  exists(path: string): Promise<boolean>;
  /** Creates a directory and missing folders above it; does nothing if it exists. */
  mkdir(path: string): Promise<void>;
  /** Both ends inside; never replaces what is there. Moves a link itself. Creates missing folders. */
  rename(from: string, to: string): Promise<void>;
  /** Copies one file, its mode too; never replaces what is there. Creates missing folders. */
  copy(from: string, to: string): Promise<void>;
  /** A file, a link itself, or an empty directory. */
  remove(path: string): Promise<void>;
  /** A directory and everything below it, or whatever else has the name. Links are removed, not followed. */
  removeTree(path: string): Promise<void>;
  /** The absolute path a name stands for, after checking that it is inside; for display, never for opening. */
  absolute(path: string): Promise<string>;
  /** Releases the roots. Operations in flight end first; later ones are refused. Closing twice is harmless. */
  close(): Promise<void>;
}
