/** The operations of `Files` over one scope, each on what it opened at the place its path means. */
import * as fs from 'node:fs';
import type { Readable } from 'node:stream';
import { isMidcallError } from '@midcall/core/errors';
import { bytesOf, type Range, rangeFault, readRange, readUtf8, sizeFault, writeAll } from './contents.ts';
import type { Entry, FileHandle, FileStat, Files } from './files.ts';
import { GatheredReads } from './gathered-reads.ts';
import type { Folder, Placed, Thing } from './ground.ts';
import { closeLeaf, contentLeaf, type Leaf, leafOf, makeFolders } from './leaf.ts';
import { moveLeaf } from './move.ts';
import { createFile, replaceFile } from './new-file.ts';
import { fileStat, OpenFile, type OpenFiles, streamOf } from './open-file.ts';
import { Placing } from './placing.ts';
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
  readonly #placing: Placing;

  /** Owns one share of the scope until {@link close}. */
  constructor(scope: Scope, book: OpenFiles) {
    this.#scope = scope;
    this.#placing = new Placing(scope);
    this.#book = book;
    this.#reads = new GatheredReads(scope.ground);
  }

  get roots(): Files['roots'] {
    return this.#scope.roots.map(({ path, name }) => (name === undefined ? { path } : { path, name }));
  }

  get leftOut(): Files['leftOut'] {
    return this.#scope.dropped;
  }

  get guarantee(): Files['guarantee'] {
    return this.#scope.ground.guarantee;
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
    await this.#placing.atOne(path, async placed => {
      const leaf = await contentLeaf(this.#scope.ground, placed, real => this.#placing.real(path, real));
      try {
        await replaceFile(leaf, bytesOf(data));
      } finally {
        closeLeaf(leaf);
      }
    });
  }

  async append(path: string, data: string | Uint8Array): Promise<void> {
    await this.#placing.atOne(path, async placed => {
      const { fd } = await this.#openForAppend(placed, O_WRONLY);
      try {
        await writeAll(placed.root.system, fd, bytesOf(data));
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  async create(path: string, data: string | Uint8Array): Promise<void> {
    await this.#placing.atOne(path, async placed => {
      const leaf = await leafOf(this.#scope.ground, placed, { makeFolders: true });
      try {
        if (leaf.thing) throw exists(path);
        await createFile(leaf, bytesOf(data));
      } finally {
        closeLeaf(leaf);
      }
    });
  }

  async list(path: string): Promise<Entry[]> {
    return await this.#placing.atFirst(path, async placed => {
      const folder = await this.#scope.ground.folder(placed);
      try {
        return await listFolder(this.#scope.ground, placed, folder);
      } finally {
        folder.close();
      }
    });
  }

  async *walk(path: string, options?: { readonly skip?: (entry: Entry) => boolean }): AsyncGenerator<Entry> {
    const start = await this.#placing.atFirst(path, async placed => {
      const folder = await this.#scope.ground.folder(placed);
      folder.close();
      return this.#placing.real(path, folder.path);
    });
    yield* walkFrom(this.#scope.ground, start, (placed, work) => this.#placing.during(placed, work), options?.skip);
  }

  async stat(path: string): Promise<FileStat> {
    return await this.#placing.atFirst(path, async placed => {
      const thing = await this.#scope.ground.thing(placed);
      thing.close();
      return fileStat(thing.stat);
    });
  }

  async exists(path: string): Promise<boolean> {
    try {
      return await this.#placing.atFirst(path, async placed => {
        await this.#scope.ground.present(placed);
        return true;
      });
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return false;
      throw error;
    }
  }

  async mkdir(path: string): Promise<void> {
    await this.#placing.atOne(path, async placed => {
      (await makeFolders(this.#scope.ground, placed)).close();
    });
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#placing.atTwo(from, to, (source, target) => moveLeaf(this.#scope.ground, source, target));
  }

  async copy(from: string, to: string): Promise<void> {
    const { ground } = this.#scope;
    await this.#placing.atOne(from, async source => {
      const thing = await ground.thing(source);
      try {
        this.#mustBeFile(from, thing);
        await this.#placing.atOne(to, async placed => {
          const leaf = await leafOf(ground, placed, { makeFolders: true });
          try {
            if (leaf.thing) throw exists(to);
            await fs.promises.copyFile(thing.at, leaf.at, fs.constants.COPYFILE_EXCL);
          } finally {
            closeLeaf(leaf);
          }
        });
      } finally {
        thing.close();
      }
    });
  }

  async remove(path: string): Promise<void> {
    await this.#atLeaf(path, removeLeaf);
  }

  async removeTree(path: string): Promise<void> {
    await this.#atLeaf(path, (leaf, thing) => removeBelow(this.#scope.ground, leaf, thing));
  }

  async absolute(path: string): Promise<string> {
    const { ground } = this.#scope;
    return await this.#placing.atOne(path, async placed => {
      for (let rel = placed.rel, tail = ''; ; ) {
        try {
          const thing = await ground.thing({ ...placed, rel });
          thing.close();
          return tail === ''
            ? thing.path
            : `${thing.path}${thing.path.endsWith(ground.separator) ? '' : ground.separator}${tail}`;
        } catch (error) {
          if (!isMidcallError(error, 'roots/not-found') || rel === '') throw error;
        }
        const cut = rel.lastIndexOf(ground.separator);
        const name = rel.slice(cut + 1);
        tail = tail === '' ? name : `${name}${ground.separator}${tail}`;
        rel = cut < 0 ? '' : rel.slice(0, cut);
      }
    });
  }

  async close(): Promise<void> {
    this.#placing.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #read<T>(path: string, range: Range | undefined, read: Reading<T>): Promise<T> {
    return this.#placing.tryEach(path, placed =>
      this.#reads.join(placed, above =>
        inOneGo(this.#placing.entered(placed, () => inOneGo(this.#readFile(placed, above, range, read)))),
      ),
    );
  }

  *#readFile<T>(placed: Placed, above: Folder | undefined, range: Range | undefined, read: Reading<T>): Steps<T> {
    const { ground } = this.#scope;
    const { given, root } = placed;
    const thing = (above && (yield* this.#plainFile(placed, above))) ?? (yield* settled(ground.thing(placed)));
    let fd: number;
    try {
      this.#mustBeFile(given, thing);
      const tooLarge = sizeFault(thing.stat.size, range);
      if (tooLarge) throw invalid(given, tooLarge);
      fd = yield* settled(ground.reopen(placed, thing, O_RDONLY));
    } finally {
      thing.close();
    }
    try {
      return yield* read(root.system, fd, thing.stat.size, range);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The file of this name in its open directory; undefined where something else or nothing has the name. */
  *#plainFile(placed: Placed, above: Folder): Steps<Thing | undefined> {
    const name = placed.rel.slice(placed.rel.lastIndexOf('/') + 1);
    const thing = yield* settled(this.#scope.ground.child(placed, above, name));
    if (thing?.stat.isFile()) return thing;
    thing?.close();
    return undefined;
  }

  async #openFile(path: string, mode: 'r' | 'r+' | 'a'): Promise<OpenFile> {
    const { ground } = this.#scope;
    if (mode === 'a') {
      return await this.#placing.atOne(path, async placed => {
        const opened = await this.#openForAppend(placed, O_RDWR);
        return new OpenFile(opened.path, opened.fd, placed.root.system, this.#book, true);
      });
    }
    return await this.#placing.atFirst(path, async placed => {
      const thing = await ground.thing(placed);
      try {
        this.#mustBeFile(path, thing);
        const fd = await ground.reopen(placed, thing, mode === 'r' ? O_RDONLY : O_RDWR);
        return new OpenFile(thing.path, fd, placed.root.system, this.#book, false);
      } finally {
        thing.close();
      }
    });
  }

  async #openForAppend(placed: Placed, access: number): Promise<{ fd: number; path: string }> {
    const { ground } = this.#scope;
    for (let attempt = 0; ; attempt += 1) {
      const leaf = await contentLeaf(ground, placed, real => this.#placing.real(placed.given, real));
      try {
        if (leaf.thing)
          return { fd: await ground.reopen(leaf.placed, leaf.thing, access | O_APPEND), path: leaf.thing.path };
        const fd = await placed.root.system.open(leaf.at, access | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
        return { fd, path: `${leaf.folder.path}${ground.separator}${leaf.name}` };
      } catch (error) {
        if (codeOf(error) !== 'EEXIST' || attempt > 8) throw fromSystem(placed.given, error);
      } finally {
        closeLeaf(leaf);
      }
    }
  }

  #mustBeFile(given: string, thing: Thing): void {
    if (thing.stat.isFile()) return;
    throw invalid(given, thing.stat.isDirectory() ? 'is a directory.' : 'is not a regular file.');
  }

  async #atLeaf(path: string, work: (leaf: Leaf, thing: Thing) => Promise<void>): Promise<void> {
    await this.#placing.atOne(path, async placed => {
      const leaf = await leafOf(this.#scope.ground, placed);
      try {
        if (!leaf.thing) throw notFound(path);
        await work(leaf, leaf.thing);
      } finally {
        closeLeaf(leaf);
      }
    });
  }
}
