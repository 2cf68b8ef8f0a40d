/** The files with tests, and what tools/conformance/ holds for them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, testFolders } from './places.ts';
import { filesById, type Row, type Statement } from './requirements-judge.ts';

const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

export const requirements = json('tools/conformance/requirements.json') as readonly Statement[];
export const rows = json('tools/conformance/rows.json') as readonly Row[];
export const reasons = json('tools/conformance/reasons.json') as Readonly<Record<string, string>>;
export const statements: readonly Statement[] = [...requirements, ...rows];

/** Id -> the files of tests that name it. */
export function testsNamed(): Map<string, string[]> {
  const files = testFolders
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
    )
    .filter(path => path.endsWith('.test.ts'))
    .map(path => ({ file: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }));
  return filesById(files, statements);
}
