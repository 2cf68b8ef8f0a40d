/**
 * Writes the taps as JavaScript. They are loaded into every Node process that a test starts, which has no time for a
 * compiler and should not know of one.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { compiledTaps } from './tap.ts';

/** @returns the URL of the folder with the compiled taps, with a slash at its end */
export function compileTaps(): URL {
  const place = new URL(compiledTaps, import.meta.url);
  const folder = fileURLToPath(place);
  mkdirSync(folder, { recursive: true });
  for (const name of ['tap', 'frames-tap', 'canary-tap']) {
    const { outputText } = ts.transpileModule(readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    // Renamed into place, as another run may be reading it.
    const file = join(folder, `${name}.js`);
    writeFileSync(`${file}.${process.pid}`, outputText);
    renameSync(`${file}.${process.pid}`, file);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  return place;
}
