/**
 * The notes of one call: everything the tools do with files, inside the boundary that `call.files()` holds. The boundary judges
 * paths first, exactly as they were given, so that one outside is refused as such and never "not found".
 *
 * - notebook-B1 Only Markdown files outside hidden folders are notes; nothing else is read or written.
 * - notebook-B2 A move acts on the note that was shown: if the file is gone, or has another title by now, nothing is moved.
 * - notebook-B3 No move replaces a file.
 */
import { basename, dirname } from 'node:path';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { Files } from '@midcall/server/roots';
import { type Amendment, amend, tagsOf } from './front-matter.ts';
import { headBytes, isHidden, isNoteName, type Note } from './note.ts';
import { beginning, oneLine } from './one-line.ts';
import type { NoteForModel } from './proposal.ts';
import {
  archiveFolder,
  each,
  folderOf,
  idsOf,
  type NoteFile,
  nameOf,
  noteFiles,
  place,
  readNote,
  type Scan,
  scan,
} from './scan.ts';
import { match, words } from './search.ts';

/** The largest note that is read or searched, in bytes. */
export const maxNoteBytes = 1024 * 1024;

/** A note in the trash. */
export interface DeletedNote extends Note {
  /** When it was deleted, ISO 8601. */
  readonly deletedAt: string;
  /** Where it is restored to, named as in a call. */
  readonly from: string;
}

/** A note that a search found. */
export interface FoundNote extends Note {
  readonly excerpt: string;
}

/** The outcome of a move; plain JSON, so that a step can record it. */
export type Moved =
  | { readonly outcome: 'moved'; readonly to: string }
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'changed'; readonly title: string }
  | { readonly outcome: 'occupied'; readonly by: string };

/** The outcome of a change to the front matter; plain JSON, so that a step can record it. */
export interface Amended {
  readonly outcome: 'amended' | 'gone' | 'changed' | 'unreadable';
}

/** How many characters from the beginning of a note an overview shows. */
const glanced = 700;

/** What a handler can do with notes. */
export interface Notebook {
  /** @param folder - only below it, including the archive; everywhere but the archive if absent */
  list(folder?: string): Promise<Scan>;
  /** Notes with exactly this title; if there are none, with this title in another case. */
  find(title: string, within?: string): Promise<Note[]>;
  search(query: string, folder?: string): Promise<FoundNote[]>;
  /** @throws MidcallError `roots/not-found` if there is no such note */
  read(which: { readonly path: string } | { readonly id: string }): Promise<{ note: Note; text: string }>;
  /** @throws MidcallError if no note can be there */
  checkPath(path: string): Promise<void>;
  write(path: string, text: string): Promise<{ note: Note; created: boolean }>;
  trash(note: Note): Promise<Moved>;
  /**
   * The notes in the trash, last deleted first.
   * @param which - `title`: only with this title; `path`: only from this path
   */
  deleted(which?: { readonly title?: string | undefined; readonly path?: string | undefined }): Promise<DeletedNote[]>;
  restore(note: DeletedNote): Promise<Moved>;
  archive(note: Note): Promise<Moved>;
  /** The newest notes, their tags and their beginnings; those that cannot be read are left out. */
  glance(folder: string | undefined, most: number): Promise<NoteForModel[]>;
  /** Changes title and tags in the front matter; the text of the note stays as it was. */
  amend(note: Note, change: Amendment): Promise<Amended>;
}

/**
 * A notebook over files.
 * @param now - milliseconds since the epoch
 */
export function notebook(files: Files, clock: Pick<Clock, 'now'>): Notebook {
  const folderAt = async (folder: string | undefined): Promise<string | undefined> => {
    if (folder === undefined) return undefined;
    const path = await files.absolute(folder);
    if (isHidden(place(files, path)?.relative ?? '')) throw hidden(folder);
    return path;
  };

  const noteAt = async (name: string): Promise<NoteFile> => {
    const path = await files.absolute(name);
    const placed = place(files, path);
    if (!placed || isHidden(placed.relative)) throw hidden(name);
    if (!isNoteName(path)) {
      throw new MidcallError(
        'roots/invalid',
        `'${oneLine(name)}' is not a note: notes are Markdown files, ending in .md.`,
      );
    }
    return placed;
  };

  const idOf = (file: NoteFile): string => idsOf(files, [file]).get(file.path)!;

  /** The note as it is now, or why it is not the one that was shown (notebook-B2). */
  const still = async (note: Note): Promise<NoteFile | Exclude<Moved, { outcome: 'moved' }>> => {
    try {
      const file = await noteAt(note.path);
      const { title } = await readNote(files, file, note.id);
      return title === note.title ? file : { outcome: 'changed', title };
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return { outcome: 'gone' };
      throw error;
    }
  };

  const move = async (from: string, root: string, relative: string): Promise<Moved> => {
    const target: NoteFile = { path: `${root}/${relative}`, root, relative };
    const to = nameOf(files, target);
    try {
      await files.rename(from, target.path);
    } catch (error) {
      if (isMidcallError(error, 'roots/not-found')) return { outcome: 'gone' };
      if (isMidcallError(error, 'roots/exists')) return { outcome: 'occupied', by: to };
      throw error;
    }
    return { outcome: 'moved', to };
  };

  /** A free name for an archived note: `x.md`, `x 2.md`, … */
  const freeName = async (root: string, relative: string): Promise<string> => {
    const [, stem, ending] = /^(.*?)(\.[^./]+)$/u.exec(relative)!;
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? relative : `${stem} ${count}${ending}`;
      if (!(await files.exists(`${root}/${name}`))) return name;
    }
  };

  const removed = (path: string): Promise<boolean> =>
    files.remove(path).then(
      () => true,
      () => false,
    );

  const inTrash = async (root: string): Promise<string[]> => {
    const top = `${root}/${trashFolder}`;
    const paths: string[] = [];
    if (!(await files.exists(top))) return paths;
    for await (const { path, kind } of files.walk(top)) if (kind === 'file' && isNoteName(path)) paths.push(path);
    return paths;
  };

  const deletedNote = async (path: string): Promise<DeletedNote[]> => {
    const file = place(files, path);
    const origin = file && readTrashPath(file.relative);
    if (!file || !origin) return [];
    const was = { path: `${file.root}/${origin.from}`, root: file.root, relative: origin.from };
    const note = await readNote(files, file, idOf(file)).catch(() => undefined);
    if (!note) return [];
    return [{ ...note, folder: folderOf(files, was), from: nameOf(files, was), deletedAt: origin.deletedAt }];
  };

  return {
    async list(folder) {
      return scan(files, await folderAt(folder));
    },

    async find(title, within) {
      const { notes } = await scan(files, await folderAt(within));
      const cleanTitle = oneLine(title);
      const exact = notes.filter(note => note.title === cleanTitle);
      return exact.length > 0 ? exact : notes.filter(note => note.title.toLowerCase() === cleanTitle.toLowerCase());
    },

    async search(query, folder) {
      const terms = words(query);
      const { notes } = await scan(files, await folderAt(folder));
      const judged = await each(notes, async note => {
        const bytes = await files.read(note.path, { position: 0, length: maxNoteBytes }).catch(() => undefined);
        const hit = bytes && match(terms, { title: note.title, text: new TextDecoder().decode(bytes) });
        return hit && { score: hit.score, note: { ...note, excerpt: hit.excerpt } };
      });
      const hits = judged.filter(hit => hit !== undefined);
      return hits.sort((a, b) => b.score - a.score).map(hit => hit.note);
    },

    async read(which) {
      let file: NoteFile | undefined;
      if ('path' in which) file = await noteAt(which.path);
      else {
        const noteFilePaths = await noteFiles(files);
        const ids = idsOf(files, noteFilePaths);
        file = noteFilePaths.find(each => ids.get(each.path) === which.id);
        if (!file)
          throw new MidcallError(
            'roots/not-found',
            `No note has the id '${oneLine(which.id)}'. Look it up with notes_list.`,
          );
      }
      const note = await readNote(files, file, 'id' in which ? which.id : idOf(file));
      if ((await files.stat(file.path)).size > maxNoteBytes) {
        throw new MidcallError('roots/invalid', `'${note.path}' is too long to read as a note: more than 1 MiB.`);
      }
      return { note, text: await files.readText(file.path) };
    },

    async checkPath(path) {
      await noteAt(path);
    },

    async write(path, text) {
      const file = await noteAt(path);
      const created = !(await files.exists(file.path));
      await files.write(file.path, text);
      return { note: await readNote(files, file, idOf(file)), created };
    },

    async trash(note) {
      const file = await still(note);
      return 'outcome' in file ? file : move(file.path, file.root, trashPath(file.relative, clock.now()));
    },

    async deleted({ title, path } = {}) {
      const from = path === undefined ? undefined : nameOf(files, await noteAt(path));
      const paths = (await Promise.all(files.roots.map(root => inTrash(root.path)))).flat();
      const notes = (await each(paths, deletedNote)).flat();
      return notes
        .filter(
          note => (from === undefined || note.from === from) && (title === undefined || note.title === oneLine(title)),
        )
        .sort((a, b) => b.deletedAt.localeCompare(a.deletedAt) || (a.path < b.path ? -1 : 1));
    },

    async restore(note) {
      const from = await files.absolute(note.path);
      const to = place(files, await files.absolute(note.from));
      if (!to) throw hidden(note.from);
      const moved = await move(from, to.root, to.relative);
      // Removes the folders that the move emptied; one that still holds another note stays.
      for (let folder = from; moved.outcome === 'moved'; ) {
        folder = dirname(folder);
        if (basename(folder) === trashFolder) break;
        if (!(await removed(folder))) break;
      }
      return moved;
    },

    async archive(note) {
      const file = await still(note);
      if ('outcome' in file) return file;
      return move(file.path, file.root, await freeName(file.root, `${archiveFolder}/${file.relative}`));
    },

    async glance(folder, most) {
      const { notes } = await scan(files, await folderAt(folder));
      const seen = await each(notes.slice(0, most), async note => {
        const bytes = await files.read(note.path, { position: 0, length: headBytes }).catch(() => undefined);
        if (!bytes) return undefined;
        const text = new TextDecoder().decode(bytes);
        return { note, tags: tagsOf(text), excerpt: beginning(text, glanced) };
      });
      return seen.filter(one => one !== undefined);
    },

    async amend(note, change) {
      const file = await still(note);
      if ('outcome' in file) return { outcome: file.outcome === 'gone' ? 'gone' : 'changed' };
      if ((await files.stat(file.path)).size > maxNoteBytes) return { outcome: 'unreadable' };
      const text = decoded(await files.read(file.path));
      const amended = text === undefined ? undefined : amend(text, change);
      if (amended === undefined) return { outcome: 'unreadable' };
      await files.write(file.path, amended);
      return { outcome: 'amended' };
    },
  };
}

const hidden = (path: string): MidcallError =>
  new MidcallError('roots/invalid', `'${oneLine(path)}' lies in a hidden folder, where no notes are kept.`);

/** Undefined if the bytes are not UTF-8, and so would not survive being written again. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The hidden folder of each root for its deleted notes, with one folder per deletion, named after its time, and below it the
 * note's own path. So a deletion is one rename, needs no further record, and is restored by the reverse rename.
 */
const trashFolder = '.trash';

/** A note's place in the trash, relative to its root. */
function trashPath(relative: string, now: number): string {
  return `${trashFolder}/${new Date(now).toISOString().replaceAll(':', '-')}/${relative}`;
}

/** The path that a note in the trash came from, and when it was deleted; undefined for a file that is not from a deletion. */
function readTrashPath(inTrash: string): { readonly from: string; readonly deletedAt: string } | undefined {
  const [folder, stamp, ...rest] = inTrash.split('/');
  const parts = /^(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)$/u.exec(stamp ?? '');
  if (folder !== trashFolder || !parts || rest.length === 0) return undefined;
  const [, day, hour, minute, second] = parts;
  const deletedAt = `${day}${hour}:${minute}:${second}`;
  return Number.isNaN(Date.parse(deletedAt)) ? undefined : { from: rest.join('/'), deletedAt };
}
