/**
 * A JSON file that several processes may change. It is read and checked whole, changed under a lock, and replaced in one
 * step: a reader sees it before a change or after it. Whatever goes wrong, the file stays as it was.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';

export interface DataFile<T> {
  read(): Promise<T>;
  /** Hands the data over to be changed in place, and writes it. Where `change` throws, nothing is written. */
  change<R>(change: (data: T) => R): Promise<R>;
}

/** @param lockTries - how often a lock is tried for, 20 milliseconds apart */
export function dataFile<T>(path: string, schema: z.ZodType<T>, lockTries = 50): DataFile<T> {
  const name = basename(path);
  const read = async (): Promise<T> => {
    const text = await readFile(path, 'utf8').catch(error => {
      throw new Error(`${name} cannot be read (${error.code}). Nothing was changed.`);
    });
    const checked = schema.safeParse(fromJson(text));
    if (checked.success) return checked.data;
    throw new Error(`${name} is damaged, so it was left as it is and nothing was done. Put back a good copy of it.`);
  };
  return {
    read,
    async change(change) {
      const unlock = await lock(`${path}.lock`, name, lockTries);
      try {
        const data = await read();
        const result = change(data);
        await replace(path, JSON.stringify(data, null, 2));
        return result;
      } finally {
        await unlock();
      }
    },
  };
}

/** Puts sample files into a directory that is missing or empty. */
export async function fill(directory: string, samples: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) return;
  for (const [name, data] of Object.entries(samples)) {
    await writeFile(join(directory, name), JSON.stringify(data, null, 2), { flag: 'wx' });
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function lock(path: string, name: string, tries: number): Promise<() => Promise<void>> {
  for (let tried = 1; ; tried++) {
    try {
      await (await open(path, 'wx')).close();
      return () => rm(path, { force: true });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'EEXIST') throw new Error(`${name} cannot be locked (${code}). Nothing was changed.`);
      if (tried >= tries) break;
      await sleep(20);
    }
  }
  throw new Error(
    `${name} is locked: something else is changing it. Nothing was changed; try again. If no server is running, delete ` +
      `${basename(path)}.`,
  );
}

async function replace(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(beside, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    const { code } = error as { code?: string };
    throw new Error(`${basename(path)} could not be written (${code}). It is as it was; nothing was changed.`);
  }
}
