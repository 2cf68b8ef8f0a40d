/** The sample notes of the package, and a copy of them to try things on. */
import { cp, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the package has them; they are never served themselves, so that they stay unchanged. */
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
