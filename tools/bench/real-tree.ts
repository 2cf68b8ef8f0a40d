/**
 * A tree of real Markdown files: those below node_modules, in as many copies side by side as it takes, five at least. Names, folders,
 * sizes and headings are what package authors wrote; the copies give every title several notes.
 */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/**
 * Fills a directory.
 * @param directory - absolute
 * @param least - how many files there must be
 * @returns how many there are
 */
export function fillWithRealNotes(directory: string, least: number): number {
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(path => /\.md$/iu.test(path));
  if (found.length === 0) throw new Error('There is no Markdown below node_modules; run npm ci first.');
  const copies = Math.max(5, Math.ceil(least / found.length));
  for (let copy = 1; copy <= copies; copy += 1) {
    for (const path of found) {
      // Hidden folders hold no notes, so their names are made visible.
      const visible = relative('.', path).replaceAll(/(^|\/)\./gu, '$1dot-');
      const to = join(directory, `copy-${copy}`, visible);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(source, path), to);
    }
  }
  return found.length * copies;
}
