/**
 * The operator's side of the boundary. Effective roots = what the operator allows ∩ what the client grants.
 *
 * | client \ mode            | narrow (default)         | replace        | ignore                     |
 * |--------------------------|--------------------------|----------------|----------------------------|
 * | has no roots capability  | operator's directories   | operator's     | operator's                 |
 * | list of roots            | the intersection         | client's roots | operator's, client unasked |
 * | empty list               | nothing                  | nothing        | operator's                 |
 * | cannot say (error)       | nothing                  | nothing        | operator's                 |
 *
 * With no directory from the operator, `narrow` and `replace` take the client's roots as they are, which is for clients on this
 * machine (`call.files()` takes none with `narrow` over HTTP); `ignore` and a client without roots leave nothing. Nothing is always a refusal that says how to grant a folder, never the whole disk.
 *
 * In the intersection a root inside an operator's directory counts as itself, an operator's directory inside a root counts as
 * that directory, and what is apart counts as nothing. All of it is compared on real paths of directories that are held open. A
 * root that is not a `file:` URI, is gone, is a file or may not be entered is left out and reported.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Root } from '@midcall/core/roots';
import { type BoundaryMode, type BoundaryOptions, type Ceiling, ceiling, type Pinned } from './ceiling.ts';
import { checkedPlatform } from './checked.ts';
import type { Files, Guarantee } from './files.ts';
import { heldPlatform } from './held.ts';
import { clientRoots, intersect, type Rooted, reuse } from './intersection.ts';
import { OpenFiles } from './open-file.ts';
import type { Platform } from './platform.ts';
import { quotePath } from './quote-path.ts';
import { RootedFiles } from './rooted-files.ts';
import { type Dropped, Scope } from './scope.ts';

/** The client's answer: its roots, nothing if it has no such capability, or a failure. */
export type RootsAnswer = readonly Root[] | undefined | { readonly failed: unknown };

/** What a server may touch: the operator’s directories, and how the client’s roots change them. */
export interface Boundary {
  readonly mode: BoundaryMode;
  readonly guarantee: Guarantee;
  /** The operator's directories, real paths. */
  readonly ceiling: readonly string[];
  /**
   * Files for one call, under the roots the client gave for that call.
   *
   * @param said - the client's list; undefined if it has no roots capability
   * @returns files to close when the call ends
   * @throws MidcallError roots/none, which says why and how to grant a folder
   */
  files(said?: RootsAnswer): Promise<Files>;
  /**
   * The effective roots as held directories, for {@link liveRoots}. Release it when it is no longer used.
   *
   * @param said - what the client said
   * @param before - the scope before this one: directories that are the same stay held
   * @param remembered - true if `said` is an old list, whose roots may not lead anywhere new
   */
  scope(said: RootsAnswer, before?: Scope, remembered?: boolean): Scope;
}

/**
 * Makes the operator's boundary.
 *
 * @throws TypeError for an option that is unknown or not what it may be; MidcallError roots/invalid if a directory is missing,
 *   roots/weak if `requireStrong` asks for more than this machine can guarantee
 * @example
 * ```ts
 * const files = await boundary({ ceiling: ['/srv/notes'], requireStrong: true }).files(roots);
 * const text = await files.readText('todo.md');
 * ```
 */
export const boundary = (options: BoundaryOptions = {}): Boundary => boundaryOf(ceiling(options));

/** The boundary of what the operator allows. */
export function boundaryOf({ mode, guarantee, directories }: Ceiling): Boundary {
  const platform = guarantee === 'held' ? heldPlatform() : checkedPlatform();

  function scope(clientList: RootsAnswer, before?: Scope, remembered = false): Scope {
    const dropped: Dropped[] = [];
    const opened: Rooted[] = [];
    try {
      const roots = effective(clientList, before, remembered, dropped, opened);
      const pins = remembered && before ? before.pins : pinsOf(opened);
      const grant = grantText(mode, directories.length > 0, clientList);
      return new Scope(platform, reuse(roots, opened, before), dropped, grant, pins);
    } catch (error) {
      for (const each of opened) each.directory.close();
      throw error;
    }
  }

  function effective(
    clientList: RootsAnswer,
    before: Scope | undefined,
    remembered: boolean,
    dropped: Dropped[],
    opened: Rooted[],
  ) {
    const allowed = (): Rooted[] => hold(platform, directories, dropped, opened);
    if (mode === 'ignore' || clientList === undefined) return allowed();
    if (!Array.isArray(clientList)) return [];
    const granted = (bounds: readonly Rooted[] | undefined) =>
      clientRoots(platform, clientList, {
        bounds,
        dropped,
        opened,
        pins: remembered ? before?.pins : undefined,
      });
    if (mode === 'replace' || directories.length === 0) return granted(undefined);
    const within = allowed();
    return intersect(granted(within), within, platform.separator);
  }

  return {
    mode,
    guarantee: platform.guarantee,
    ceiling: directories.map(each => each.real),
    scope,
    async files(clientList) {
      const drawn = scope(clientList);
      if (drawn.roots.length === 0) throw nothing(drawn, clientList, mode, directories.length > 0);
      return new RootedFiles(drawn, new OpenFiles());
    },
  };
}

function pinsOf(opened: readonly Rooted[]): ReadonlyMap<string, string> {
  const pins = new Map<string, string>();
  for (const { uri, directory } of opened) if (uri !== undefined) pins.set(uri, directory.path);
  return pins;
}

function hold(platform: Platform, pins: readonly Pinned[], dropped: Dropped[], opened: Rooted[]): Rooted[] {
  const unmoved: Rooted[] = [];
  for (const pin of pins) {
    try {
      const directory = platform.hold(pin.real);
      const rooted: Rooted = { directory, aliases: pin.configured === pin.real ? [] : [pin.configured] };
      opened.push(rooted);
      if (directory.path === pin.real) unmoved.push(rooted);
      else dropped.push({ uri: pin.configured, reason: 'it no longer leads where it did when the server started' });
    } catch {
      dropped.push({ uri: pin.configured, reason: 'it is no longer there' });
    }
  }
  return unmoved;
}

/** How a person can grant more, given the roots in force. */
function grantText(mode: BoundaryMode, hasCeiling: boolean, clientList: RootsAnswer): string {
  if (mode === 'ignore' || clientList === undefined)
    return 'To allow more, start the server with that directory as well.';
  if (mode === 'replace' || !hasCeiling) return 'To allow more, add its folder to the roots of your client.';
  return 'To allow more, add its folder to the roots of your client; the operator must have started the server with it, too.';
}

/** The refusal if no root is in force: why, and how to grant one. */
export function nothing(scope: Scope, clientList: RootsAnswer, mode: BoundaryMode, hasCeiling: boolean): MidcallError {
  const left = scope.dropped.map(({ uri, reason }) => `${quotePath(uri)}: ${reason}`).slice(0, 5);
  const why = left.length > 0 ? ` (${left.join('; ')})` : '';
  const start = 'start the server with a directory';
  const add = 'add a folder to the roots of your client';
  if (mode === 'ignore' || clientList === undefined) {
    if (hasCeiling)
      return none(`None of the server's directories can be used${why}. Put one back, or ${start} that exists.`);
    if (mode === 'ignore') return none(`This server was given no directory to work in. To allow one, ${start}.`);
    return none(`There is no folder to work in: the client offers no roots. To allow one, ${start}, or ${add}.`);
  }
  if (!Array.isArray(clientList))
    return none(
      'The client could not say which folders it allows, so none is. Try again, or restart the client.',
      clientList,
    );
  if (clientList.length === 0)
    return none(`The client allows no folder: its list of roots is empty. To allow one, ${add}.`);
  return none(`None of the client's roots can be used${why}. To allow one, ${add}.`);
}

function none(message: string, clientList?: RootsAnswer): MidcallError {
  const cause = clientList && 'failed' in clientList ? { cause: clientList.failed } : undefined;
  return new MidcallError('roots/none', message, cause);
}
