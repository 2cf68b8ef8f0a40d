/** The site made from the documents: `npm run site`. Its navigation is docs/README.md, which is also its first page. */
import { copyFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf, chapters } from '../../tools/documents.ts';
import { root } from '../../tools/places.ts';

const repository = 'https://github.com/midcall/midcall';

/** A link that leaves `docs/` leads into the repository; links within it are checked by VitePress. */
function fromRepository(link: string): string {
  const [path = '', anchor] = link.split('#');
  if (!path.startsWith('../')) return link;
  const kind = /\.\w+$/.test(path) ? 'blob' : 'tree';
  return `${repository}/${kind}/main/${posix.join('docs', path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

export default defineConfig({
  title: 'Midcall',
  description: 'Ask the person, mid-call: a TypeScript toolkit for the human side of the Model Context Protocol.',
  lang: 'en',
  outDir: `${root}site`,
  cacheDir: `${root}node_modules/.cache/vitepress`,
  rewrites: { 'README.md': 'index.md' },
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      markdown.core.ruler.push('links-from-repository', ({ tokens }) => {
        for (const token of tokens.flatMap(each => each.children ?? [])) {
          const link = token.attrGet('href');
          if (link !== null) token.attrSet('href', fromRepository(link));
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    sidebar: chapters().map(({ title, documents }) => ({
      ...(title !== undefined && { text: title }),
      items: documents.map(({ title: text, path }) => ({ text, link: fromRepository(path).replace(/^(?!http)/, '/') })),
    })),
  },
  buildEnd({ outDir }) {
    copyFileSync(`${root}llms.txt`, `${outDir}/llms.txt`);
  },
});
