/**
 * Reads a tree of notes: every Markdown file outside hidden folders, with title and date. Files that vanish while the tree is
 * read are left out; those that cannot be read are counted, so that a list never looks more complete than it is.
 *
 * Ids of notes are short enough for a form, and the same in every run and in every copy of a tree.
 * - note-id-N1 An id depends on the path below the root alone, so a note keeps it while others come and go.
 * - note-id-N2 No two notes of one list share an id: if two would (the same path in two roots, or a collision), each of them
 *   gets an id from its absolute path instead.
 */

import { createHash } from 'node:crypto';
import { basename, sep } from 'node:path';
import { isMidcallError } from '@midcall/core/errors';
import type { Files } from '@midcall/server/roots';
import { describe, headBytes, isHidden, isNoteName, type Note } from './note.ts';
import { oneLine } from './one-line.ts';

/** A tree of notes as it was read. */
export interface Scan {
  /** Newest first, then by path. */
  readonly notes: readonly Note[];
  readonly unreadable: number;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function short(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, length);
  return `note-${Array.from(bytes, byte => alphabet[byte % 32]).join('')}`;
}

/** A file, as far as its id depends on it. */
export interface Placed {
  /** Absolute. */
  readonly path: string;
  /** The path below its root, with `/` as the separator. */
  readonly relative: string;
}

/**
 * Ids for all files of a list.
 * @param hash - maps a text to an id; only tests that want collisions give another one
 * @returns absolute path -> id
 */
export function noteIds(
  files: readonly Placed[],
  hash: (text: string, length: number) => string = short,
): ReadonlyMap<string, string> {
  const byId = new Map<string, Placed[]>();
  for (const file of files) {
    const id = hash(file.relative.normalize('NFC'), 8);
    byId.set(id, [...(byId.get(id) ?? []), file]);
  }
  const ids = new Map<string, string>();
  for (const [id, group] of byId) {
    for (const file of group) ids.set(file.path, group.length === 1 ? id : hash(file.path, 16));
  }
  return ids;
}

/** A file with its root. */
export interface NoteFile extends Placed {
  readonly root: string;
}

/** Where archived notes go. */
export const archiveFolder = 'archive';

/** How many files are read at the same time. */
const width = 24;

/** Applies `fn` to all items, a few at a time, in order. */
export async function each<T, R>(items: readonly T[], fn: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await fn(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}

/** The root that contains a path, and the rest of it; undefined if none does. */
export function place(files: Pick<Files, 'roots'>, path: string): NoteFile | undefined {
  const inside = (root: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
  const [root] = files.roots
    .map(each => each.path)
    .filter(inside)
    .sort((a, b) => b.length - a.length);
  if (root === undefined) return undefined;
  return { path, root, relative: path.slice(root.length).split(sep).filter(Boolean).join('/') };
}

/**
 * Every note file, including the archive's.
 * @param within - an absolute path, a folder or one file; everything if absent
 */
export async function noteFiles(files: Files, within?: string): Promise<NoteFile[]> {
  const filesByPath = new Map<string, NoteFile>();
  for (const top of within === undefined ? files.roots.map(root => root.path) : [within]) {
    const one = within !== undefined && (await files.stat(top)).kind === 'file';
    const entries = one
      ? [{ path: top, kind: 'file' }]
      : files.walk(top, { skip: entry => entry.name.startsWith('.') });
    for await (const { path, kind } of entries) {
      const placed = place(files, path);
      if (kind === 'file' && placed && isNoteName(path) && !isHidden(placed.relative)) filesByPath.set(path, placed);
    }
  }
  return [...filesByPath.values()];
}

/** Absolute path -> id. If there are several roots, a root's name counts as part of the path. */
export function idsOf(files: Pick<Files, 'roots'>, noteFileList: readonly NoteFile[]): ReadonlyMap<string, string> {
  if (files.roots.length === 1) return noteIds(noteFileList);
  return noteIds(
    noteFileList.map(file => ({ path: file.path, relative: `${rootName(files, file)}/${file.relative}` })),
  );
}

/** True for a note that was archived. */
function isArchived({ relative }: Pick<Placed, 'relative'>): boolean {
  return relative.startsWith(`${archiveFolder}/`);
}

function rootName(files: Pick<Files, 'roots'>, { root }: Pick<NoteFile, 'root'>): string {
  return files.roots.find(each => each.path === root)?.name || basename(root) || root;
}

/** The name of a file in a call. */
export function nameOf(files: Pick<Files, 'roots'>, { path, relative }: Placed): string {
  if (files.roots.length > 1) return path;
  return /^[a-z]+:/iu.test(relative) ? `./${relative}` : relative;
}

/** The folder of a note, as a person reads it. */
export function folderOf(files: Pick<Files, 'roots'>, file: NoteFile): string {
  const folder = file.relative.split('/').slice(0, -1).join('/');
  if (folder === '') return oneLine(rootName(files, file));
  return oneLine(files.roots.length > 1 ? `${rootName(files, file)}/${folder}` : folder);
}

/** One file as a note. */
export async function readNote(files: Files, file: NoteFile, id: string): Promise<Note> {
  const handle = await files.open(file.path);
  try {
    const head = await handle.read({ position: 0, length: headBytes });
    const { modifiedAt } = await handle.stat();
    const seen = describe(basename(file.path), new TextDecoder().decode(head), modifiedAt);
    return { id, ...seen, folder: folderOf(files, file), path: nameOf(files, file) };
  } finally {
    await handle.close();
  }
}

/** Reads all notes; those of the archive only if `within` leads there. `within` is as in {@link noteFiles}. */
export async function scan(files: Files, within?: string): Promise<Scan> {
  const noteFileList = (await noteFiles(files, within)).filter(file => within !== undefined || !isArchived(file));
  const ids = idsOf(files, noteFileList);
  let unreadable = 0;
  const notes = await each(noteFileList, async file => {
    try {
      return await readNote(files, file, ids.get(file.path)!);
    } catch (error) {
      if (!isMidcallError(error, 'roots/not-found')) unreadable += 1;
      if (isMidcallError(error, 'roots/revoked')) throw error;
      return undefined;
    }
  });
  const byDate = (a: Note, b: Note): number => b.date.localeCompare(a.date) || (a.path < b.path ? -1 : 1);
  return { notes: notes.filter(note => note !== undefined).sort(byDate), unreadable };
}
