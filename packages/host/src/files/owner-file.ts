/**
 * A value in a JSON file that only its owner can read. It is written atomically, so that a crash leaves the old value or the
 * new one; a file that cannot be parsed is an error and never counts as absent.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { MidcallError } from '@midcall/core/errors';
import { writeWhole } from '@midcall/core/node';
import { fileChanges } from './file-lock.ts';

/** A value in a file. */
export interface OwnerFile<T> {
  /**
   * @returns undefined if there is no file yet
   * @throws MidcallError `cli/usage` for one that cannot be read or understood
   */
  read(): Promise<T | undefined>;
  /** Reads as `read` does, without waiting. */
  readNow(): T | undefined;
  write(value: T): Promise<void>;
  /**
   * Reads, changes and writes the value while nobody else does, here or in another process.
   * @param make - returns the new content; undefined to write nothing
   * @throws MidcallError as `read` does; `host/refused` if another process holds it for too long
   */
  change(make: (value: T | undefined) => T | undefined): Promise<void>;
}

/**
 * @param what - what it holds, in words such as `a list of roots`
 * @param is - judges what was read; the file is untrusted
 */
export function ownerFile<T>(path: string, what: string, is: (value: unknown) => value is T): OwnerFile<T> {
  const bad = (cause?: unknown): MidcallError =>
    new MidcallError('cli/usage', `${path} does not hold ${what}. Move it away to start over.`, { cause });
  const understood = (text: string): T => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw bad(cause);
    }
    if (!is(value)) throw bad();
    return value;
  };
  const missing = (cause: unknown): undefined => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MidcallError('cli/usage', `${path} cannot be read.`, { cause });
  };
  const change = fileChanges(path);
  const file: OwnerFile<T> = {
    async read() {
      const text = await readFile(path, 'utf8').catch(missing);
      return text === undefined ? undefined : understood(text);
    },
    readNow() {
      let text: string;
      try {
        text = readFileSync(path, 'utf8');
      } catch (cause) {
        return missing(cause);
      }
      return understood(text);
    },
    change: make =>
      change(async () => {
        const next = make(await file.read());
        if (next !== undefined) await file.write(next);
      }),
    write: value => writeWhole(path, `${JSON.stringify(value, null, 2)}\n`),
  };
  return file;
}
