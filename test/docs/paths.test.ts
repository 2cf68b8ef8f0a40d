/** Nothing in the repository points to a file that is not in it. Links are looked at in links.test.ts, imports by tsc. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/places.ts';

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter(file => file !== '' && existsSync(join(root, file)));
const known = new Set(files);
const names = new Set(files.map(file => basename(file)));
const folders = new Set(files.filter(file => file.includes('/')).map(file => file.split('/')[0]!));
const made = /^(?:packages\/\w+\/)?(?:bundle|dist|node_modules)\//;
/** Documents and comments leave out what every package has: `server/state/seal.ts`. */
const inPackage = (path: string) => path.replace(/^(\w+)\//, 'packages/$1/src/');
const extensions = '(?:ts|mts|mjs|js|json|md|css|svg|png|html|yml)';

const isComment = (line: string) => /^\s*(?:\/\*|\*|\/\/)/.test(line);
/** Paths of files as they stand in a text: not those in addresses, nor those put together from parts. */
const pathsIn = (text: string) =>
  [...text.matchAll(new RegExp(`(?<![\\w@$}/:.-])((?:[\\w.-]+/)+[\\w.-]+\\.${extensions})(?![\\w/-])`, 'g'))].map(
    ([, path]) => path!,
  );

/** What is wrong with the paths that a text in a file names. */
function dangling(file: string, text: string): string[] {
  const isDocument = file.endsWith('.md');
  const named = pathsIn(text).filter(path => folders.has(path.split('/')[0]!));
  const there = (path: string) =>
    made.test(path) ||
    known.has(normalize(path)) ||
    known.has(inPackage(path)) ||
    known.has(normalize(join(dirname(file), path)));
  const outside = [...text.matchAll(/(?<=[`'"\s/}])(?:\.\.\/)+shared\/[\w./-]+/g)].map(([path]) => path);
  const comments = text.split('\n').filter(line => isDocument || isComment(line));
  // A comment or a document may leave out the folders above: `server/state/seal.ts`.
  const short = comments
    .flatMap(line => [...line.matchAll(/(?<=[`( ])((?:[\w-]+\/)+[\w.-]+\.ts)(?=[`),.: ]|$)/g)].map(([, path]) => path!))
    .filter(path => !known.has(inPackage(path)) && !files.some(other => other === path || other.endsWith(`/${path}`)));
  const bare = comments
    .filter(() => !isDocument)
    .flatMap(line => [...line.matchAll(/(?<![\w/.*-])([a-z][\w-]*(?:\.[a-z0-9]+)*\.(?:ts|mjs|mts))(?![\w/-])/g)])
    .map(([, name]) => name!)
    .filter(name => !names.has(name));
  return [...new Set([...named.filter(path => !there(path)), ...outside, ...short, ...bare])];
}

const texts = files.filter(
  file =>
    /\.(?:ts|mts|mjs|js|json|md|yml|sh)$/.test(file) &&
    !/^(?:samples|tools\/conformance\/schemas)\/|package-lock\.json$/.test(file),
);

it('the check of paths sees many files', () => {
  expect(texts.length).toBeGreaterThan(500);
  expect(folders.size).toBeGreaterThan(5);
});

it('every path that a file names is one of the repository', () => {
  const found = texts.flatMap(file =>
    dangling(file, readFileSync(join(root, file), 'utf8')).map(path => `${file}: ${path}`),
  );
  expect(found).toEqual([]);
});

it('every `npm run` names a script of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const found = texts.flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?<=[`$& ])npm run (?:--silent )?([a-z][a-z:-]*)/g)]
      .map(([, name]) => name!)
      .filter(name => !(name in scripts))
      .map(name => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

describe('a path that is not there', () => {
  const folder = 'tools';
  it.each([
    ['in code', `readFileSync('${folder}/gone.json')`],
    ['in a comment, in full', `/** See ${folder}/gone.ts. */`],
    ['in a comment, without the folders above', '// as state/gone.ts says'],
    ['in a comment, by its name', ' * What gone.ts writes.'],
    ['beside the repository', ['json(`x/', '..', '/shared/gone.json`)'].join('')],
  ])('a path that is not there is found %s', (_, text) => {
    expect(dangling('packages/core/src/errors/errors.ts', text)).toHaveLength(1);
  });

  it.each([
    ['a path that is there', 'see tools/places.ts'],
    ['the name of a file that is there', '// places.ts says where'],
    ['an address', 'https://example.com/tools/gone.ts'],
    ['what a build makes', "import x from './dist/gone.js'"],
  ])('a path is not reported where it is %s', (_, text) => {
    expect(dangling('packages/core/src/errors/errors.ts', text)).toEqual([]);
  });
});
