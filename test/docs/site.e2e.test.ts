/** The site that `npm run site` makes of the documents. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { chapters } from '../../tools/documents.ts';
import { root } from '../../tools/places.ts';

const site = mkdtempSync(join(tmpdir(), 'midcall-site-'));
const read = (path: string): string => readFileSync(join(site, path), 'utf8');
const documents = chapters().flatMap(chapter => chapter.documents.filter(({ path }) => !path.startsWith('../')));
const pageOf = (path: string): string => path.replace(/\.md$/, '.html');

describe('the site', () => {
  beforeAll(() => {
    // VitePress fails if a link leads to no page.
    execFileSync('npm', ['run', '--silent', 'site', '--', '--outDir', site], { cwd: root, stdio: 'pipe' });
  });

  it('the site has every page of docs/README.md, in its navigation and under its own heading', () => {
    expect(documents.length).toBeGreaterThan(30);
    const first = read('index.html');
    for (const { title, path } of documents) {
      expect(first).toContain(`href="/${pageOf(path)}"`);
      expect(first).toContain(`>${title}<`);
      const heading = /^# (.*)$/m.exec(readFileSync(join(root, 'docs', path), 'utf8'))![1]!.replaceAll('`', '');
      expect(/<h1[^>]*>(.*?) <a /s.exec(read(pageOf(path)))![1]!.replace(/<[^>]*>/g, '')).toBe(heading);
    }
  });

  it('the site has only links that lead to its own pages and headings, or to the repository', () => {
    const pages = readdirSync(site).filter(name => name.endsWith('.html'));
    const wrong = pages.flatMap(page =>
      [...read(page).matchAll(/<a [^>]*?href="([^"]*)"/g)].flatMap(([, link = '']) => {
        if (/^(?:https?|mailto):/.test(link)) return [];
        const [path = '', anchor] = link.split('#');
        const target = posix.join('/', path || page).slice(1) || 'index.html';
        if (!pages.includes(target)) return [`${page}: ${link}`];
        const named = anchor === undefined || read(target).includes(` id="${decodeURIComponent(anchor)}"`);
        return named ? [] : [`${page}: ${link}`];
      }),
    );
    expect(wrong).toEqual([]);
    expect(read('security.html')).toContain('href="https://github.com/midcall/midcall/blob/main/SECURITY.md"');
  });

  it('the site is searched without another server, and has the list of documents for models', () => {
    const [index] = readdirSync(join(site, 'assets/chunks')).filter(name => name.startsWith('@localSearchIndex'));
    expect(read(`assets/chunks/${index}`)).toContain('elicitation');
    expect(read('llms.txt')).toBe(readFileSync(join(root, 'llms.txt'), 'utf8'));
  });
});
