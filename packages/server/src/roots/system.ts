/**
 * The few system calls everything here is made of, in two speeds. `direct` calls block for a few microseconds each, which is
 * cheaper than the thread pool; it is used on local disks. `pooled` uses the pool, for calls that may wait for a network.
 * Contents beyond {@link smallest} bytes go through the pool in both.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import type { Now } from './steps.ts';

type Path = string | Buffer;

export interface System {
  open(path: Path, flags: number, mode?: number): Now<number>;
  close(fd: number): Now<void>;
  /** A link's text; for `/proc/self/fd/N`, the location of descriptor N. */
  readlink(path: Path): Now<string>;
  realpath(path: string): Now<string>;
  fstat(fd: number): Now<fs.Stats>;
  lstat(path: Path): Now<fs.Stats>;
  mkdir(path: Path): Now<void>;
  rmdir(path: Path): Now<void>;
  unlink(path: Path): Now<void>;
  link(from: Path, to: Path): Now<void>;
  rename(from: Path, to: Path): Now<void>;
  fchmod(fd: number, mode: number): Now<void>;
  fchown(fd: number, uid: number, gid: number): Now<void>;
  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): Now<number>;
  write(fd: number, from: Uint8Array, offset: number, length: number, position: number | null): Now<number>;
  /** The entries of a directory, in no particular order, each mapped by `take`. */
  entries<T>(path: Path, take: (entry: fs.Dirent) => T): Promise<T[]>;
  /** The same with names as bytes, which need not be UTF-8. */
  rawEntries(path: Path): Promise<fs.Dirent<Buffer>[]>;
}

/** Bytes up to which contents are moved without the pool on a local disk. */
export const smallest = 32 * 1024;

const read = (fd: number, into: Uint8Array, offset: number, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) =>
    fs.read(fd, into, offset, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  );

const write = (fd: number, from: Uint8Array, offset: number, length: number, position: number | null) =>
  new Promise<number>((resolve, reject) =>
    fs.write(fd, from, offset, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  );

/** A directory with fewer entries is read synchronously; the pool would take longer than the reading. */
const small = 64;

/**
 * A directory whose size exceeds what this many names can fill is not tried synchronously first. It may have shrunk, or measure
 * its size differently.
 */
const smallSize = small * 512;

/**
 * Reads a directory: a small one synchronously, a large one in one call through the pool, with each entry replaced in place.
 */
async function entriesOf<T>(
  path: Path,
  encoding: BufferEncoding | 'buffer',
  take: (entry: fs.Dirent) => T,
): Promise<T[]> {
  const few = fewEntries(path, encoding);
  if (few) return few.map(take);
  const options = { withFileTypes: true, encoding: encoding as BufferEncoding } as const;
  const dirents = await new Promise<fs.Dirent[]>((resolve, reject) =>
    fs.readdir(path as string, options, (error, entries) => (error ? reject(error) : resolve(entries))),
  );
  const converted = dirents as unknown as T[];
  for (let index = 0; index < dirents.length; index++) converted[index] = take(dirents[index]!);
  return converted;
}

/** All entries of a small directory; undefined for a larger one. */
function fewEntries(path: Path, encoding: BufferEncoding | 'buffer'): fs.Dirent[] | undefined {
  if (fs.statSync(path).size > smallSize) return undefined;
  const directory = fs.opendirSync(path as string, { encoding: encoding as BufferEncoding, bufferSize: small });
  try {
    const dirents: fs.Dirent[] = [];
    for (let each = directory.readSync(); each; each = directory.readSync()) {
      if (dirents.push(each) === small) return undefined;
    }
    return dirents;
  } finally {
    directory.closeSync();
  }
}

export const direct: System = {
  open: fs.openSync,
  close: fs.closeSync,
  readlink: path => fs.readlinkSync(path),
  realpath: path => fs.realpathSync.native(path),
  fstat: fd => fs.fstatSync(fd),
  lstat: path => fs.lstatSync(path),
  mkdir: path => fs.mkdirSync(path) as undefined,
  rmdir: path => fs.rmdirSync(path),
  unlink: fs.unlinkSync,
  link: fs.linkSync,
  rename: fs.renameSync,
  fchmod: fs.fchmodSync,
  fchown: fs.fchownSync,
  read: (fd, into, offset, length, position) =>
    length <= smallest ? fs.readSync(fd, into, offset, length, position) : read(fd, into, offset, length, position),
  write: (fd, from, offset, length, position) =>
    length <= smallest ? fs.writeSync(fd, from, offset, length, position) : write(fd, from, offset, length, position),
  entries: (path, take) => entriesOf(path, 'utf8', take),
  rawEntries: path => entriesOf(path, 'buffer', entry => entry as unknown as fs.Dirent<Buffer>),
};

export const pooled: System = {
  open: promisify(fs.open) as (path: Path, flags: number, mode?: number) => Promise<number>,
  close: promisify(fs.close),
  readlink: path => fs.promises.readlink(path),
  realpath: promisify(fs.realpath.native) as (path: string) => Promise<string>,
  fstat: fd => promisify(fs.fstat)(fd),
  lstat: path => fs.promises.lstat(path),
  mkdir: path => fs.promises.mkdir(path).then(() => undefined),
  rmdir: path => fs.promises.rmdir(path),
  unlink: path => fs.promises.unlink(path),
  link: (from, to) => fs.promises.link(from, to),
  rename: (from, to) => fs.promises.rename(from, to),
  fchmod: promisify(fs.fchmod),
  fchown: promisify(fs.fchown),
  read,
  write,
  entries: async (path, take) => (await fs.promises.readdir(path, { withFileTypes: true })).map(each => take(each)),
  rawEntries: path => fs.promises.readdir(path, { withFileTypes: true, encoding: 'buffer' }),
};

/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs, squashfs: local file systems. */
const localTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x73717368,
]);

/** The system for a directory: `direct` on a Linux disk known to be local, `pooled` elsewhere. */
export function systemFor(directory: string): System {
  try {
    return localTypes.has(fs.statfsSync(directory).type) ? direct : pooled;
  } catch {
    return pooled;
  }
}

/** The code of a system error, or undefined. */
export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

/** True for an error that has nothing to do with the path. */
export const saysNothing = (error: unknown): boolean => ['EMFILE', 'ENFILE', 'ENOMEM'].includes(codeOf(error) ?? '');

/** True if a name is absent, or would be below something that is not a directory. */
export const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');

/** Device and inode of the directory a path leads to; undefined if there is none. */
export function identityOf(path: string): string | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true });
    return stat.isDirectory() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** True if this process may list the directory and enter it. */
export function mayEnter(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
