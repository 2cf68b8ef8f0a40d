/** The documents and their order, as docs/README.md lists them: llms.txt and the site are made from it. And their anchors. */
import { readFileSync } from 'node:fs';
import { root } from './places.ts';

export interface Document {
  readonly title: string;
  /** Of its file, from `docs/`. */
  readonly path: string;
  /** What the document is about, in Markdown. */
  readonly about: string;
}

export interface Chapter {
  /** Absent for what is listed above the first heading. */
  readonly title?: string;
  readonly documents: readonly Document[];
}

export function chapters(): readonly Chapter[] {
  const [first = '', ...others] = readFileSync(`${root}docs/README.md`, 'utf8').split(/^## /m);
  return [
    { documents: documentsIn(first) },
    ...others.map(text => ({ title: text.slice(0, text.indexOf('\n')), documents: documentsIn(text) })),
  ];
}

/** A row of a table may link to several documents. */
function documentsIn(text: string): readonly Document[] {
  return [...text.matchAll(/^\| (.*) \| (.*) \|$/gm)].flatMap(([, links = '', about = '']) =>
    [...links.matchAll(/\[([^\]]+)\]\(([\w/.-]+\.md)\)/g)].map(([, title = '', path = '']) => ({ title, path, about })),
  );
}

/** The anchor of a heading, as GitHub makes it. Where headings have the same words, the second ends in `-1`, and so on. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
