/** The documents hold together: every link leads somewhere, and every code block is closed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../../tools/documents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['docs', 'examples', 'packages/midcall/skills', 'tools'];
const documents = [
  ...readdirSync(root),
  ...folders
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
    ),
]
  .filter(path => path.endsWith('.md') && !path.includes('node_modules'))
  .map(path => path.replaceAll('\\', '/'));

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gmu, '').replace(/`[^`\n]*`/gu, '');

/** The anchors of a document. */
function anchorsOf(path: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  const text = read(path).replace(/^```[\s\S]*?^```$/gmu, '');
  for (const [, heading] of text.matchAll(/^#{1,6} (.+)$/gmu)) {
    const slug = anchorOf(heading!);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  for (const [, id] of text.matchAll(/<a id="([^"]+)"/gu)) anchors.add(id!);
  return anchors;
}

/** The links of a document that lead into the repository. */
function linksOf(path: string): readonly string[] {
  const text = withoutCode(read(path));
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/gu)];
  const references = [...text.matchAll(/^\[(?!\^)[^\]]+\]: (\S+)/gmu)];
  return [...inline, ...references].map(match => match[1]!).filter(target => !/^[a-z][a-z0-9+.-]*:/iu.test(target));
}

/** What is wrong with a link, or undefined. */
function broken(from: string, link: string): string | undefined {
  const [file, anchor] = link.split('#') as [string, string?];
  const path = file === '' ? from : relative(root, resolve(root, dirname(from), decodeURIComponent(file)));
  if (path.startsWith('..')) return `${link}: outside the repository`;
  if (!existsSync(join(root, path))) return `${link}: no such file`;
  if (anchor === undefined) return undefined;
  if (!path.endsWith('.md')) return statSync(join(root, path)).isFile() ? undefined : `${link}: no document`;
  return anchorsOf(path).has(anchor) ? undefined : `${link}: no such heading`;
}

describe.each(documents)('%s', path => {
  it('a page has links that lead somewhere', () => {
    expect(linksOf(path).flatMap(link => broken(path, link) ?? [])).toEqual([]);
  });

  it('a page closes every code block', () => {
    const fences = read(path).match(/^ {0,3}```.*$/gmu) ?? [];
    const closing = fences.filter((_, index) => index % 2 === 1);
    expect({ even: fences.length % 2 === 0, closing: closing.filter(fence => fence.trim() !== '```') }).toEqual({
      even: true,
      closing: [],
    });
  });
});

it.each([
  ['002-12, 002-03: every line of the checklists', 'docs/checklists.md', 40],
  ['000-24: every goal of the lesson', 'docs/lesson.md', 6],
])('%s names a test that is there, or leads to a page', (_, path, least) => {
  const page = read(path);
  const named = [...page.matchAll(/\[([^\]]+)\]\(\.\.\/(test\/[^)]+)\)/gu)];
  expect(named.length).toBeGreaterThanOrEqual(least);
  const stale = named.filter(([, title, file]) => !read(file!).includes(title!.replaceAll('\n', ' ')));
  expect(stale.map(([link]) => link)).toEqual([]);
  const lines = page.split(/^- \[ \] /mu).slice(1);
  for (const line of lines) expect(line, 'a line with a link').toMatch(/\]\(|next list/u);
});

it('the READMEs of the packages link to files of the repository', () => {
  const linked = readdirSync(join(root, 'packages')).flatMap(name =>
    [
      ...read(`packages/${name}/README.md`).matchAll(
        /github\.com\/midcall\/midcall\/(?:blob|tree)\/main\/([^)\s#]+)/gu,
      ),
    ].map(match => match[1]!),
  );
  expect(linked.length).toBeGreaterThan(3);
  expect(linked.filter(path => !existsSync(join(root, path)))).toEqual([]);
});

it('messages link to pages and headings that are there', () => {
  const sources = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' }).filter(path =>
    /^[^/]+\/src\/.*\.ts$/u.test(path.replaceAll('\\', '/')),
  );
  const texts = sources.map(path => read(join('packages', path)));
  const linked = texts.flatMap(text => [...text.matchAll(/\bdocumentation\(['`]([^'`$]+)/gu)].map(match => match[1]!));
  expect(linked.length).toBeGreaterThan(5);
  expect(linked.flatMap(link => broken('docs/README.md', link.replace(/#$/u, '')) ?? [])).toEqual([]);
  expect(texts.flatMap(text => text.match(/['`"][^'`"\n]*\bdocs\/[\w-]+\.md[^'`"\n]*['`"]/gu) ?? [])).toEqual([]);
});

it('docs/README.md names every page of docs', () => {
  const pages = documents.filter(path => /^docs\/[^/]+\.md$/u.test(path) && path !== 'docs/README.md');
  const named = new Set(linksOf('docs/README.md').map(link => `docs/${link.split('#')[0]}`));
  expect(pages.filter(page => !named.has(page))).toEqual([]);
});
