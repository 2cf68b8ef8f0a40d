/**
 * Writes the taps as JavaScript. They are loaded into every Node process that a test starts, which has no time for a
 * compiler and should not know of one. As CommonJS, which Node loads sooner than modules that are imported first.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { compiledTaps } from './tap.ts';

/** @returns the path of the folder with the compiled taps */
export async function compileTaps(): Promise<string> {
  const folder = fileURLToPath(new URL(compiledTaps, import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const name of ['frames-tap', 'canary-tap']) {
    const bundle = await rolldown({
      input: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      platform: 'node',
    });
    const { output } = await bundle.generate({ format: 'cjs' });
    await bundle.close();
    // Renamed into place, as another run may be reading it.
    const file = join(folder, `${name}.cjs`);
    writeFileSync(`${file}.${process.pid}`, output[0].code);
    renameSync(`${file}.${process.pid}`, file);
  }
  return folder;
}
