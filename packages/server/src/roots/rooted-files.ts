/** The operations of `Files` over one scope, each on what it opened at the resolved path. */
import * as fs from 'node:fs';
import type { Readable } from 'node:stream';
import { isMidcallError } from '@midcall/core/errors';
import { bytesOf, type Range, rangeFault, readRange, readUtf8, sizeFault, writeAll } from './contents.ts';
import { closeEntry, contentEntry, type DirectoryEntry, entryOf, makeFolders } from './directory-entry.ts';
import type { Entry, FileHandle, FileStat, Files } from './files.ts';
import { GatheredReads } from './gathered-reads.ts';
import { moveEntry } from './move.ts';
import { createFile, replaceFile } from './new-file.ts';
import { fileStat, OpenFile, type OpenFiles, streamOf } from './open-file.ts';
import { PathResolver } from './path-resolver.ts';
import type { Folder, ResolvedPath, Thing } from './platform.ts';
import { exists, fromSystem, invalid, notFound } from './refusal.ts';
import type { Scope } from './scope.ts';
import { inOneGo, type Steps, settled } from './steps.ts';
import { codeOf, type System } from './system.ts';
import { listFolder, removeBelow, removeLeaf, walkFrom } from './tree.ts';

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;

/** How contents are read from an open descriptor. */
type Reading<T> = (system: System, fd: number, size: number, range?: Range) => Steps<T>;

export class RootedFiles implements Files {
  readonly #scope: Scope;
  readonly #book: OpenFiles;
  readonly #reads: GatheredReads;
  readonly #resolver: PathResolver;

  /** Owns one share of the scope until {@link close}. */
  constructor(scope: Scope, book: OpenFiles) {
    this.#scope = scope;
    this.#resolver = new PathResolver(scope);
    this.#book = book;
    this.#reads = new GatheredReads(scope.platform);
  }

  get roots(): Files['roots'] {
    return this.#scope.roots.map(({ path, name }) => (name === undefined ? { path } : { path, name }));
  }

  get leftOut(): Files['leftOut'] {
    return this.#scope.dropped;
  }

  get guarantee(): Files['guarantee'] {
    return this.#scope.platform.guarantee;
  }

  async open(path: string, mode: 'r' | 'r+' | 'a' = 'r'): Promise<FileHandle> {
    return await this.#openFile(path, mode);
  }

  async stream(path: string): Promise<Readable> {
    return streamOf(await this.#openFile(path, 'r'));
  }

  async read(path: string, range?: Range): Promise<Uint8Array> {
    const fault = rangeFault(range);
    if (fault) throw invalid(path, fault);
    return await this.#read(path, range, readRange);
  }

  readText(path: string): Promise<string> {
    return this.#read(path, undefined, readUtf8);
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    await this.#resolver.atOne(path, async resolved => {
      const entry = await contentEntry(this.#scope.platform, resolved, real => this.#resolver.real(path, real));
      try {
        await replaceFile(entry, bytesOf(data));
      } finally {
        closeEntry(entry);
      }
    });
  }

  async append(path: string, data: string | Uint8Array): Promise<void> {
    await this.#resolver.atOne(path, async resolved => {
      const { fd } = await this.#openForAppend(resolved, O_WRONLY);
      try {
        await writeAll(resolved.root.system, fd, bytesOf(data));
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  async create(path: string, data: string | Uint8Array): Promise<void> {
    await this.#resolver.atOne(path, async resolved => {
      const entry = await entryOf(this.#scope.platform, resolved, { makeFolders: true });
      try {
        if (entry.thing) throw exists(path);
        await createFile(entry, bytesOf(data));
      } finally {
        closeEntry(entry);
      }
    });
  }

  async list(path: string): Promise<Entry[]> {
    return await this.#resolver.atFirst(path, async resolved => {
      const folder = await this.#scope.platform.folder(resolved);
      try {
        return await listFolder(this.#scope.platform, resolved, folder);
      } finally {
        folder.close();
      }
    });
  }

  async *walk(path: string, options?: { readonly skip?: (entry: Entry) => boolean }): AsyncGenerator<Entry> {
    const start = await this.#resolver.atFirst(path, async resolved => {
      const folder = await this.#scope.platform.folder(resolved);
      folder.close();
      return this.#resolver.real(path, folder.path);
    });
    yield* walkFrom(
      this.#scope.platform,
      start,
      (resolved, work) => this.#resolver.during(resolved, work),
      options?.skip,
    );
  }

  async stat(path: string): Promise<FileStat> {
    return await this.#resolver.atFirst(path, async resolved => {
      const thing = await this.#scope.platform.thing(resolved);
      thing.close();
      return fileStat(thing.stat);
    });
  }

  async exists(path: string): Promise<boolean> {
    try {
      return await this.#resolver.atFirst(path, async resolved => {
        await this.#scope.platform.present(resolved);
        return true;
      });
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return false;
      throw error;
    }
  }

  async mkdir(path: string): Promise<void> {
    await this.#resolver.atOne(path, async resolved => {
      (await makeFolders(this.#scope.platform, resolved)).close();
    });
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#resolver.atTwo(from, to, (source, target) => moveEntry(this.#scope.platform, source, target));
  }

  async copy(from: string, to: string): Promise<void> {
    const { platform } = this.#scope;
    await this.#resolver.atOne(from, async source => {
      const thing = await platform.thing(source);
      try {
        this.#mustBeFile(from, thing);
        await this.#resolver.atOne(to, async resolved => {
          const entry = await entryOf(platform, resolved, { makeFolders: true });
          try {
            if (entry.thing) throw exists(to);
            await fs.promises.copyFile(thing.at, entry.at, fs.constants.COPYFILE_EXCL);
          } finally {
            closeEntry(entry);
          }
        });
      } finally {
        thing.close();
      }
    });
  }

  async remove(path: string): Promise<void> {
    await this.#atEntry(path, removeLeaf);
  }

  async removeTree(path: string): Promise<void> {
    await this.#atEntry(path, (entry, thing) => removeBelow(this.#scope.platform, entry, thing));
  }

  async absolute(path: string): Promise<string> {
    const { platform } = this.#scope;
    return await this.#resolver.atOne(path, async resolved => {
      for (let rel = resolved.rel, tail = ''; ; ) {
        try {
          const thing = await platform.thing({ ...resolved, rel });
          thing.close();
          return tail === ''
            ? thing.path
            : `${thing.path}${thing.path.endsWith(platform.separator) ? '' : platform.separator}${tail}`;
        } catch (error) {
          if (!isMidcallError(error, 'roots/not-found') || rel === '') throw error;
        }
        const cut = rel.lastIndexOf(platform.separator);
        const name = rel.slice(cut + 1);
        tail = tail === '' ? name : `${name}${platform.separator}${tail}`;
        rel = cut < 0 ? '' : rel.slice(0, cut);
      }
    });
  }

  async close(): Promise<void> {
    this.#resolver.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #read<T>(path: string, range: Range | undefined, read: Reading<T>): Promise<T> {
    return this.#resolver.tryEach(path, resolved =>
      this.#reads.join(resolved, above =>
        inOneGo(this.#resolver.entered(resolved, () => inOneGo(this.#readFile(resolved, above, range, read)))),
      ),
    );
  }

  *#readFile<T>(
    resolved: ResolvedPath,
    above: Folder | undefined,
    range: Range | undefined,
    read: Reading<T>,
  ): Steps<T> {
    const { platform } = this.#scope;
    const { requested, root } = resolved;
    const thing = (above && (yield* this.#fileIn(resolved, above))) ?? (yield* settled(platform.thing(resolved)));
    let fd: number;
    try {
      this.#mustBeFile(requested, thing);
      const tooLarge = sizeFault(thing.stat.size, range);
      if (tooLarge) throw invalid(requested, tooLarge);
      fd = yield* settled(platform.reopen(resolved, thing, O_RDONLY));
    } finally {
      thing.close();
    }
    try {
      return yield* read(root.system, fd, thing.stat.size, range);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The file of this name in its open directory; undefined if the name is free or not a file. */
  *#fileIn(resolved: ResolvedPath, above: Folder): Steps<Thing | undefined> {
    const name = resolved.rel.slice(resolved.rel.lastIndexOf('/') + 1);
    const thing = yield* settled(this.#scope.platform.child(resolved, above, name));
    if (thing?.stat.isFile()) return thing;
    thing?.close();
    return undefined;
  }

  async #openFile(path: string, mode: 'r' | 'r+' | 'a'): Promise<OpenFile> {
    const { platform } = this.#scope;
    if (mode === 'a') {
      return await this.#resolver.atOne(path, async resolved => {
        const opened = await this.#openForAppend(resolved, O_RDWR);
        return new OpenFile(opened.path, opened.fd, resolved.root.system, this.#book, true);
      });
    }
    return await this.#resolver.atFirst(path, async resolved => {
      const thing = await platform.thing(resolved);
      try {
        this.#mustBeFile(path, thing);
        const fd = await platform.reopen(resolved, thing, mode === 'r' ? O_RDONLY : O_RDWR);
        return new OpenFile(thing.path, fd, resolved.root.system, this.#book, false);
      } finally {
        thing.close();
      }
    });
  }

  async #openForAppend(resolved: ResolvedPath, access: number): Promise<{ fd: number; path: string }> {
    const { platform } = this.#scope;
    for (let attempt = 0; ; attempt += 1) {
      const entry = await contentEntry(platform, resolved, real => this.#resolver.real(resolved.requested, real));
      try {
        if (entry.thing)
          return { fd: await platform.reopen(entry.resolved, entry.thing, access | O_APPEND), path: entry.thing.path };
        const fd = await resolved.root.system.open(entry.at, access | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
        return { fd, path: `${entry.folder.path}${platform.separator}${entry.name}` };
      } catch (error) {
        if (codeOf(error) !== 'EEXIST' || attempt > 8) throw fromSystem(resolved.requested, error);
      } finally {
        closeEntry(entry);
      }
    }
  }

  #mustBeFile(path: string, thing: Thing): void {
    if (thing.stat.isFile()) return;
    throw invalid(path, thing.stat.isDirectory() ? 'is a directory.' : 'is not a regular file.');
  }

  async #atEntry(path: string, work: (entry: DirectoryEntry, thing: Thing) => Promise<void>): Promise<void> {
    await this.#resolver.atOne(path, async resolved => {
      const entry = await entryOf(this.#scope.platform, resolved);
      try {
        if (!entry.thing) throw notFound(path);
        await work(entry, entry.thing);
      } finally {
        closeEntry(entry);
      }
    });
  }
}
