/**
 * A note: a Markdown file with a title, a date and a folder. Everything is read from the file's name and the first kilobytes of
 * its text; nothing is stored beside it. Pure.
 */
import { readFront, splitFront } from './front-matter.ts';
import { oneLine } from './one-line.ts';

/** A note as lists and questions show it. */
export interface Note {
  /** Short and stable: derived from the path below the root. */
  readonly id: string;
  readonly title: string;
  /** The directory below the root; the root's own name if the note is at the top. */
  readonly folder: string;
  /** `YYYY-MM-DD`: from the front matter, or else the day the file was last written (UTC). */
  readonly date: string;
  /** How to name it in a call: relative to the root if there is only one, else absolute. */
  readonly path: string;
}

/** How many bytes of a file are read to find its title and date. */
export const headBytes = 8 * 1024;

/** True for a valid name of a note. */
export function isNoteName(name: string): boolean {
  return /\.(?:md|markdown)$/iu.test(name);
}

/** True if a path below a root leads through a hidden folder, such as the trash. */
export function isHidden(relative: string): boolean {
  return relative.split('/').some(part => part.startsWith('.'));
}

/** `title · folder · date`: distinguishes notes of the same title. */
export function label(note: Pick<Note, 'title' | 'folder' | 'date'>): string {
  return `${note.title} · ${note.folder} · ${note.date}`;
}

/**
 * Title and date of a note.
 * @param name - the file's name
 * @param head - the beginning of its text
 * @param modifiedAt - milliseconds since the epoch
 */
export function describe(name: string, head: string, modifiedAt: number): Pick<Note, 'title' | 'date'> {
  const { front, rest } = splitFront(head);
  const { title, date } = titleAndDate(front ?? '');
  return {
    title: title || heading(rest) || oneLine(name.replace(/\.[^.]+$/u, '')) || 'Untitled',
    date: date ?? day(modifiedAt),
  };
}

function day(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '1970-01-01' : date.toISOString().slice(0, 10);
}

function titleAndDate(front: string): { title?: string; date?: string } {
  if (front.trim() === '') return {};
  // Scalars are read one by one, so keys and aliases do nothing.
  const document = readFront(front);
  if (document.errors.length > 0) return {};
  const scalar = (key: string): string => {
    const value = document.has(key) ? document.get(key) : undefined;
    return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value)) : '';
  };
  const date = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/u.exec(scalar('date'))?.[0];
  const valid = date !== undefined && day(Date.parse(date)) === date;
  return { title: scalar('title'), ...(valid && { date }) };
}

/** The first heading with words in it: `# Title`, underlined, or `<h1>`; code blocks do not count. */
function heading(body: string): string {
  const lines = body.split('\n').slice(0, 400);
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```+|~~~+)/u.exec(line)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = '';
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const text = headingText(line, lines[index + 1] ?? '');
    if (text !== undefined) {
      const title = oneLine(withoutMarkup(text.slice(0, 500)));
      if (title !== '') return title;
    }
  }
  return '';
}

function headingText(line: string, next: string): string | undefined {
  const hashes = /^ {0,3}#{1,6}(?:[ \t]|$)/u.exec(line);
  if (hashes) return line.slice(hashes[0].length).replace(/[ \t]#+[ \t]*$/u, '');
  const tag = /^ {0,3}<h[1-6][^>]*>/iu.exec(line);
  if (tag) return line.slice(tag[0].length);
  const underlined = /^ {0,3}(?:=+|-{2,})[ \t]*$/u.test(next) && /^ {0,3}[^\s>#|*+-]/u.test(line);
  return underlined ? line : undefined;
}

/** Inline Markdown and HTML, reduced to the words a reader would see. */
function withoutMarkup(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]/gu, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/gu, '$1')
    .replace(/<[^>]*>/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/gu, '$1')
    .replace(/[`*]+|(?<![\p{L}\p{N}])_+|(?<!_)_+(?![\p{L}\p{N}])/gu, '');
}
