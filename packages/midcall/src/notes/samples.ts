/** The sample notes of the package, and copies of them to try things on. */
import { cp, mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataPath } from '../install/index.ts';

/** The folder of the package that has the samples. It is never served itself, so that they stay unchanged. */
const samples = fileURLToPath(new URL('../../samples/notes', import.meta.url));

/**
 * Copies the sample notes into a new directory.
 * @param parent - where it is made; the system's temporary directory if absent
 * @returns its absolute, real path
 */
export async function copySamples(parent: string = tmpdir()): Promise<string> {
  const directory = join(await realpath(await mkdtemp(join(parent, 'midcall-notes-'))), 'notes');
  await cp(samples, directory, { recursive: true });
  return directory;
}

/**
 * The person's own copy of the sample notes. It is made once, so that a later session finds the notes as they were left, and what
 * was set up for them still fits.
 * @param options - `reset`: makes it anew, without what was changed in it
 * @returns its absolute, real path
 */
export async function ownSamples({ reset = false }: { readonly reset?: boolean } = {}): Promise<string> {
  const parent = dataPath('samples');
  const own = join(parent, 'notes');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  if (reset) await rm(own, { recursive: true, force: true });
  const there = await realpath(own).catch(() => undefined);
  if (there !== undefined) return there;
  const made = await copySamples(parent);
  try {
    // Whole or not at all: a copy that was interrupted must not pass for the notes.
    await rename(made, own);
  } catch (error) {
    // Another desk has made it in the meantime.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(dirname(made), { recursive: true, force: true });
  }
  return realpath(own);
}

/**
 * What a newcomer tries on the sample notes: a form, a page and a model.
 * @param directory - where the notes are
 * @param server - the id of the notes server
 */
export const sampleTries = (directory: string, server: string) =>
  [
    {
      title: 'Delete a note',
      about: 'Three notes are called “TPS report”. The server asks which one you mean.',
      server,
      tool: 'notes_delete',
      arguments: { title: 'TPS report' },
    },
    {
      title: 'Set up a folder',
      about: `The server asks to open a page of its own, where you choose its folders. The sample notes are in ${directory}.`,
      server,
      tool: 'notes_setup',
      arguments: { again: true },
    },
    {
      title: 'Summarize a note with a model',
      about: 'The server asks to use a model of yours. Without one, you see the prompt and write the reply yourself.',
      server,
      tool: 'notes_summarize',
      arguments: { path: 'home/recipes/focaccia.md' },
    },
  ] as const;
