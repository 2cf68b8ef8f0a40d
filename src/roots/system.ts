/**
 * The few system calls everything here is made of, in two speeds. `direct` calls block for a few microseconds each, which
 * is less than a trip to the thread pool costs; it is used on local disks. `pooled` goes through the pool and is used
 * where a call may wait for a network. Contents beyond {@link smallest} bytes go through the pool in both.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { atMost } from './at-most.ts';
import type { Now } from './steps.ts';

type Path = string | Buffer;

export interface System {
  open(path: Path, flags: number, mode?: number): Now<number>;
  close(fd: number): Now<void>;
  /** A link's text; of `/proc/self/fd/N`, where descriptor N lies. */
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
  /** What a directory holds, in no particular order, each put through `take`. */
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

/** Entries of a directory that are taken in at once: as many as fit into one turn of the event loop. */
const handful = 512;

/**
 * Large directories are gone through two at a time: the pool, which has four threads, stays open to others, and there are
 * never many half-made lists in memory, which the garbage collector would move about again and again.
 */
const large = atMost(2);

const more = (directory: fs.Dir): Promise<fs.Dirent | null> =>
  new Promise((resolve, reject) => directory.read((error, entry) => (error ? reject(error) : resolve(entry))));

/** Reads a directory: the first handful at once, each further one in the pool while other work goes on here. */
async function entriesByHandful<T>(
  path: Path,
  encoding: BufferEncoding | 'buffer',
  take: (entry: fs.Dirent) => T,
): Promise<T[]> {
  const directory = fs.opendirSync(path as string, { encoding: encoding as BufferEncoding, bufferSize: handful });
  const found: T[] = [];
  /** Takes a handful, of which all but `first` are in memory by now; true where the directory ended. */
  const taken = (first: fs.Dirent | null): boolean => {
    let each = first;
    for (let count = 1; each; count += 1) {
      found.push(take(each));
      if (count === handful) return false;
      each = directory.readSync();
    }
    return true;
  };
  try {
    if (taken(directory.readSync())) return found;
    await large(async () => {
      while (!taken(await more(directory)));
    });
    return found;
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
  entries: (path, take) => entriesByHandful(path, 'utf8', take),
  rawEntries: path => entriesByHandful(path, 'buffer', entry => entry as unknown as fs.Dirent<Buffer>),
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

/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs, squashfs: answers come from this machine. */
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

/** True where a name is absent, or would have to be below something that is no directory. */
export const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');

/** Device and inode of the directory a path leads to; undefined where there is none. */
export function identityOf(path: string): string | undefined {
  try {
    const stat = fs.statSync(path, { bigint: true });
    return stat.isDirectory() ? `${stat.dev}:${stat.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** True where this process may list the directory and enter it. */
export function mayEnter(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
