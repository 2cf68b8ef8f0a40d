/**
 * Open files, and the register of them. When the scope changes, every open file's location is checked; one that is outside
 * refuses from that moment and closes when the operations in flight on it have ended.
 */
import * as fs from 'node:fs';
import { Readable } from 'node:stream';
import { MidcallError } from '@midcall/core/errors';
import { bytesOf, type Range, rangeFault, readRange, sizeFault, writeAll } from './contents.ts';
import type { FileHandle, FileStat } from './files.ts';
import { quotePath } from './quote-path.ts';
import { fromSystem, invalid, revoked } from './refusal.ts';
import { inOneGo } from './steps.ts';
import type { System } from './system.ts';

/** A stat result in our own format. */
export function fileStat(stat: fs.Stats): FileStat {
  return { kind: kindOf(stat), size: stat.size, modifiedAt: stat.mtimeMs, mode: stat.mode & 0o7777 };
}

export function kindOf(of: fs.Stats | fs.Dirent): FileStat['kind'] {
  if (of.isFile()) return 'file';
  if (of.isDirectory()) return 'directory';
  return of.isSymbolicLink() ? 'link' : 'other';
}

/** The present location of an open descriptor; undefined if it cannot be determined. */
type Whereabouts = (fd: number, path: string) => string | undefined;

/** The files that are open. */
export class OpenFiles {
  readonly #open = new Set<OpenFile>();

  get size(): number {
    return this.#open.size;
  }

  add(file: OpenFile): void {
    this.#open.add(file);
  }

  delete(file: OpenFile): void {
    this.#open.delete(file);
  }

  /** Withdraws every file that is now outside. */
  judge(inside: (real: string) => boolean, whereabouts: Whereabouts): void {
    for (const file of this.#open) {
      const real = file.whereabouts(whereabouts);
      if (real === undefined || !inside(real)) file.revoke();
    }
  }

  /** Withdraws them all. */
  revokeAll(): void {
    for (const file of this.#open) file.revoke();
  }
}

export class OpenFile implements FileHandle {
  readonly path: string;
  readonly #fd: number;
  readonly #system: System;
  readonly #book: OpenFiles;
  readonly #appends: boolean;
  #inFlight = 0;
  #revoked = false;
  #closing = false;
  #closed = false;
  #whenClosed: (() => void)[] = [];

  constructor(path: string, fd: number, system: System, book: OpenFiles, appends: boolean) {
    this.path = path;
    this.#fd = fd;
    this.#system = system;
    this.#book = book;
    this.#appends = appends;
    book.add(this);
  }

  async read(options?: Range): Promise<Uint8Array> {
    const fault = rangeFault(options);
    if (fault) throw invalid(this.path, fault);
    return await this.#during(async () => {
      const { size } = await this.#system.fstat(this.#fd);
      const tooLarge = sizeFault(size, options);
      if (tooLarge) throw invalid(this.path, tooLarge);
      return await inOneGo(readRange(this.#system, this.#fd, size, options));
    });
  }

  async write(data: string | Uint8Array, options?: { readonly position?: number }): Promise<void> {
    const fault = rangeFault(options);
    if (fault) throw invalid(this.path, fault);
    const position = this.#appends ? undefined : (options?.position ?? 0);
    await this.#during(() => writeAll(this.#system, this.#fd, bytesOf(data), position));
  }

  async stat(): Promise<FileStat> {
    return await this.#during(async () => fileStat(await this.#system.fstat(this.#fd)));
  }

  /** Waits for the operations in flight, then closes. Closing twice is harmless. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#settle();
    if (!this.#closed) await new Promise<void>(resolve => this.#whenClosed.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Refuses from now on. */
  revoke(): void {
    this.#revoked = true;
    this.#settle();
  }

  whereabouts(ask: Whereabouts): string | undefined {
    return this.#closed ? undefined : ask(this.#fd, this.path);
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#revoked) throw revoked(`The folder of ${quotePath(this.path)}`);
    if (this.#closing) throw new MidcallError('roots/invalid', `${quotePath(this.path)} was closed. Open it again.`);
    this.#inFlight += 1;
    try {
      return await work();
    } catch (error) {
      throw fromSystem(this.path, error);
    } finally {
      this.#inFlight -= 1;
      this.#settle();
    }
  }

  #settle(): void {
    if (this.#closed || this.#inFlight > 0 || !(this.#revoked || this.#closing)) return;
    this.#closed = true;
    this.#book.delete(this);
    try {
      fs.closeSync(this.#fd);
    } catch {
      // The number is free either way; errors that close reports late (a full remote disk) were never excluded by write.
    }
    for (const tell of this.#whenClosed.splice(0)) tell();
  }
}

const streamChunkBytes = 64 * 1024;

/** A stream over an open file, which it closes. Each chunk is a read of its own, so a withdrawal ends the stream. */
export function streamOf(file: OpenFile): Readable {
  let position = 0;
  return new Readable({
    highWaterMark: streamChunkBytes,
    read() {
      file.read({ position, length: streamChunkBytes }).then(
        bytes => {
          position += bytes.length;
          this.push(bytes.length > 0 ? bytes : null);
        },
        error => this.destroy(error),
      );
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        () => done(error),
      );
    },
  });
}
