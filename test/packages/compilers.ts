/** Compilers that authors may use. The oldest and the newest come with the repository; the ones between from npm, when they are soaked. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/places.ts';
import { fromNpm } from '../fixtures/from-npm.ts';

const cache = join(root, 'node_modules/.cache/compilers');

/** @returns the compiler's start file, kept in `node_modules/.cache`; undefined where npm cannot get it */
export const downloaded = (version: string): string | undefined =>
  fromNpm(`compilers/${version}`, `typescript@${version}`, 'typescript/bin/tsc');

/** How a project finds what it imports. */
export const resolutions = { nodenext: 'nodenext', bundler: 'esnext' } as const;

/**
 * Checks a file as a project of its own would, against the packages as they were built.
 * @returns what the compiler says; nothing where all is well
 */
export function checkedBy(start: string, resolution: keyof typeof resolutions, file: string): string {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'project-'));
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: resolutions[resolution],
    moduleResolution: resolution,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  };
  try {
    copyFileSync(join(root, file), join(folder, 'author.ts'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['author.ts'] }));
    const { stdout, stderr } = spawnSync(process.execPath, [start, '-p', folder], { encoding: 'utf8' });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
