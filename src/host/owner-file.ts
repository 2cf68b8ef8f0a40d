/**
 * A value kept in a JSON file of its owner's alone. It is written whole, so that a crash leaves the old value or the new
 * one; a file that cannot be understood is an error, never nothing.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MidcallError } from '../errors.ts';

/** A value in a file. */
export interface OwnerFile<T> {
  /**
   * @returns undefined where there is no file yet
   * @throws MidcallError `cli/usage` for one that cannot be read or understood
   */
  read(): Promise<T | undefined>;
  write(value: T): Promise<void>;
}

/**
 * @param what - what it holds, in words, such as `a list of roots`
 * @param is - judges what was read; the file is untrusted
 */
export function ownerFile<T>(path: string, what: string, is: (value: unknown) => value is T): OwnerFile<T> {
  const bad = (cause?: unknown): MidcallError =>
    new MidcallError('cli/usage', `${path} does not hold ${what}. Move it away to start anew.`, { cause });
  return {
    async read() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw new MidcallError('cli/usage', `${path} cannot be read.`, { cause });
      }
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (cause) {
        throw bad(cause);
      }
      if (!is(value)) throw bad();
      return value;
    },
    async write(value) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = join(dirname(path), `.${randomUUID()}.tmp`);
      try {
        await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}
