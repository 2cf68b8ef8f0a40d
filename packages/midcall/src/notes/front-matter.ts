/**
 * Reads and changes the front matter of a note. Everything else stays: other keys, their order, comments, the byte order mark,
 * the kind of line ending; only the spacing of YAML may differ. Pure.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { oneLine } from './one-line.ts';

/** The changes to make. */
export interface Amendment {
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Loaded with the first note that is read: its seventy files are a tenth of the start of a server. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml;

/** Parses the YAML of a front matter; the core schema leaves dates as they are written. */
export const readFront = (front: string): Yaml.Document.Parsed =>
  yaml().parseDocument(front, { schema: 'core', logLevel: 'silent', stringKeys: true });

/** The tags of a note, cleaned; at most 20. */
export function tagsOf(text: string): string[] {
  const { isScalar, isSeq } = yaml();
  const document = readFront(splitFront(text).front ?? '');
  const tags = document.errors.length === 0 && document.has('tags') ? document.get('tags') : undefined;
  const items = isSeq(tags)
    ? tags.items.map(item => (isScalar(item) ? item.value : ''))
    : String(tags ?? '').split(',');
  return items
    .map(item => oneLine(String(item), 40))
    .filter(Boolean)
    .slice(0, 20);
}

/** @returns the whole text with the changes; undefined if its front matter cannot be parsed, and so cannot be preserved */
export function amend(text: string, { title, tags }: Amendment): string | undefined {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const newline = /\r?\n/u.exec(text)?.[0] ?? '\n';
  const { front, rest } = splitFront(text);
  const document = readFront(front ?? '');
  if (document.errors.length > 0 || (document.contents !== null && !('items' in document.contents))) return undefined;
  if (yaml().isSeq(document.contents)) return undefined;
  if (title !== undefined) document.set('title', title);
  if (tags !== undefined) document.set('tags', document.createNode(tags, { flow: true }));
  const amended = `---\n${document.toString({ lineWidth: 0 }).replace(/(?<!\n)\n*$/u, '\n')}---${front === undefined ? `\n\n${rest}` : rest}`;
  return mark + (newline === '\r\n' ? amended.replaceAll('\n', '\r\n') : amended);
}

/**
 * Splits a text, without its byte order mark and with plain line breaks.
 * @returns `rest`: all of it if there is no front matter; otherwise everything from the line break of the closing line on
 */
export function splitFront(marked: string): { front: string | undefined; rest: string } {
  const text = marked.replace(/^\ufeff/u, '').replaceAll('\r\n', '\n');
  const end = text.startsWith('---\n') ? text.indexOf('\n---', 3) : -1;
  if (end < 0) return { front: undefined, rest: text };
  const closed = text.indexOf('\n', end + 1);
  return { front: text.slice(4, end), rest: closed < 0 ? '\n' : text.slice(closed) };
}
