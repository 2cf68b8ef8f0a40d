/**
 * The roots of one client session, kept current.
 *
 * 1. A list is replaced as a whole: a call works under the old list or the new one, never under parts of both.
 * 2. At most one read is in progress and one waits behind it, so that a burst of changes costs two reads and ends with the last
 *    list.
 * 3. A failed read leaves the scope unchanged; if the first one fails, nothing is allowed.
 * 4. Anything out of scope refuses from the replacement on: files of earlier calls, open files, streams. Descriptors close when
 *    the operations in flight on them have ended.
 * 5. Between reads nothing widens: a root's URI that comes to lead elsewhere is left out until the client is asked again.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, flag, func, having, required } from '@midcall/core/options';
import { type Root, readRootsList } from '@midcall/core/roots';
import { type Boundary, nothing, type RootsAnswer } from './boundary.ts';
import type { Files } from './files.ts';
import { OpenFiles } from './open-file.ts';
import type { RootHold } from './root-hold.ts';
import { RootedFiles } from './rooted-files.ts';
import type { Scope } from './scope.ts';

/** Whose roots, and how they are read. */
export interface LiveRootsOptions {
  readonly boundary: Boundary;
  /** Asks the client (`roots/list`); undefined if it has no roots capability. */
  readonly list: () => Promise<readonly Root[] | undefined>;
  /** True if the client declared `roots.listChanged`; without it the list is read again for every call. */
  readonly announces: boolean;
  /** Called with every read that failed. */
  readonly onError?: (error: unknown) => void;
}

/** The roots of one client session, kept up to date. */
export interface LiveRoots {
  /**
   * Files under the current list, to close when the call ends.
   *
   * @param asked - true if this call has asked already, so that it works under one list
   * @throws MidcallError roots/none, which says why and how to grant a folder
   */
  files(asked?: boolean): Promise<Files>;
  /** The client's list as received; undefined if it has no roots capability or never gave one. */
  roots(asked?: boolean): Promise<readonly Root[] | undefined>;
  /** Call on `notifications/roots/list_changed`. Resolves when the announced list is in force. */
  changed(): Promise<void>;
  /** Ends the session: everything refuses, and closes when the operations in flight have ended. */
  close(): Promise<void>;
}

/**
 * Keeps the roots of one client session; see the top of this file for the guarantees.
 * @example
 * ```ts
 * const live = liveRoots({ boundary: boundary({ ceiling: ['/srv/notes'] }), list: async () => roots, announces: true });
 * const files = await live.files();
 * ```
 */
export function liveRoots(options: LiveRootsOptions): LiveRoots {
  checkOptions('liveRoots', options, {
    boundary: required(having('what boundary(…) made', 'scope', 'files')),
    list: required(func),
    announces: required(flag),
    onError: func,
  });
  const { boundary, list, announces, onError } = options;
  const asks = boundary.mode !== 'ignore';
  const book = new OpenFiles();
  /** Every root that calls of this session may still be using. */
  const holds = new Set<RootHold>();
  let lastList: RootsAnswer = { failed: undefined };
  let hasList = false;
  let current: Scope | undefined;
  let closed = false;
  let reading: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  function swap(next: Scope): void {
    const before = current;
    current = next;
    for (const { hold } of next.roots) holds.add(hold);
    for (const hold of holds) {
      if (hold.live && next.inside(hold.path) && next.platform.identify(hold.path) === hold.identity) continue;
      hold.revoke();
      holds.delete(hold);
    }
    before?.release();
    book.judge(next.inside.bind(next), next.platform.whereabouts);
  }

  async function readOnce(): Promise<void> {
    let heard: readonly Root[] | undefined;
    try {
      const listed = await list();
      heard = listed === undefined ? undefined : listedRoots({ roots: listed });
      if (closed) return;
      swap(boundary.scope(heard, current));
    } catch (error) {
      if (!hasList) lastList = { failed: error };
      onError?.(error);
      return;
    }
    lastList = heard;
    hasList = true;
  }

  /** Starts a read now, or after the one in progress. */
  function read(): Promise<void> {
    if (!reading) {
      reading = readOnce().finally(() => {
        reading = undefined;
      });
      return reading;
    }
    queued ??= reading.then(() => {
      queued = undefined;
      return read();
    });
    return queued;
  }

  /** The scope in force, rebuilt without asking the client if a root was replaced on disk. */
  function settled(): Scope {
    const unchanged = current?.roots.every(root => current?.platform.identify(root.path) === root.hold.identity);
    if (!current || !unchanged || current.roots.length === 0) swap(boundary.scope(lastList, current, hasList));
    return current!;
  }

  async function ready(askedBefore: boolean): Promise<void> {
    if (closed) throw new MidcallError('roots/revoked', 'This session has ended.');
    if (!askedBefore && (!hasList || !announces)) await read();
    else await (queued ?? reading);
    if (closed) throw new MidcallError('roots/revoked', 'This session has ended.');
  }

  return {
    async files(askedBefore = false) {
      if (asks) await ready(askedBefore);
      else if (closed) throw new MidcallError('roots/revoked', 'This session has ended.');
      const scope = settled();
      if (scope.roots.length === 0) throw nothing(scope, lastList, boundary.mode, boundary.ceiling.length > 0);
      return new RootedFiles(scope.retain(), book);
    },
    async roots(askedBefore = false) {
      await ready(askedBefore);
      return Array.isArray(lastList) ? lastList : undefined;
    },
    async changed() {
      if (!closed && (asks || hasList)) await read();
    },
    async close() {
      if (closed) return;
      closed = true;
      for (const hold of holds) hold.revoke();
      holds.clear();
      current?.release();
      current = undefined;
      book.revokeAll();
    },
  };
}

/**
 * Checks a client's list of roots before anything uses it.
 * @param answer - the result of `roots/list`, as it arrived
 * @param leftOut - told in one sentence of each entry that is no root
 * @throws MidcallError roots/invalid if it has no list, or one without a single root in it
 */
export function listedRoots(answer: unknown, leftOut?: (sentence: string) => void): readonly Root[] {
  const read = readRootsList(answer);
  if (!read || (read.roots.length === 0 && read.leftOut.length > 0))
    throw new MidcallError('roots/invalid', "The client's list of roots is not a list of { uri, name? }.");
  for (const sentence of read.leftOut) leftOut?.(sentence);
  return read.roots;
}
