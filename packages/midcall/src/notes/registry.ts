/** What each group of tools needs to be registered. */

import { MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { Call, Midcall } from '@midcall/server';
import type { Files } from '@midcall/server/roots';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The library, the server of this connection, and the clock. */
export interface Registry {
  readonly mid: Midcall;
  readonly server: McpServer;
  /** Milliseconds since the epoch. */
  readonly clock: Pick<Clock, 'now'>;
  /**
   * The files of a call.
   * @throws MidcallError `roots/none` if there are none, or if what was set up does not fit any more; says how to mend it
   */
  readonly files: (call: Pick<Call, 'files'>) => Promise<Files>;
  /** True if what was set up does not fit any more, so that no file may be used. */
  readonly isBlocked: () => boolean;
  /** How the person wants lists; the defaults if they have not said. */
  readonly preferences: () => Preferences;
}

/** How notes are listed. */
export interface Preferences {
  readonly order: 'newest' | 'title';
  /** The most notes in one list. */
  readonly listed: number;
}

/** The schema of a path. */
export const pathArgument = z.string().min(1).max(4096);

/** The schema of a title. */
export const titleArgument = z.string().min(1).max(500);

/** One note, named by one of the two. */
export const noteArguments = {
  path: pathArgument.optional().describe('Relative to a root, absolute, or a file: URI.'),
  note_id: z.string().max(100).optional().describe('As notes_list gives it.'),
};

/** A note among several with the same title. */
export const titleArguments = {
  title: titleArgument.describe('The title of the note, in full.'),
  path: pathArgument.optional().describe('Only look here: a folder, or the file of the one note that is meant.'),
};

/** @throws MidcallError `roots/invalid` unless it is exactly one of the two */
export function whichNote(selector: { readonly path?: string | undefined; readonly note_id?: string | undefined }) {
  const { path, note_id: id } = selector;
  if (path !== undefined && id === undefined) return { path };
  if (path === undefined && id !== undefined) return { id };
  throw new MidcallError('roots/invalid', 'Name the note by its path or by its note_id: one of the two.');
}
