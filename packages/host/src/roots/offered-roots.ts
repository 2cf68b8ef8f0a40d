/**
 * The directories that a person offers to servers, and which server may know of which.
 *
 * - offered-R1 A server learns of a root only if the person granted it to that server.
 * - offered-R2 A root is the canonical `file:` URI of a real directory; anything else is refused when it is added.
 * - offered-R3 Each change is announced once; a directory that is gone, or a link that now leads elsewhere, is not announced as
 *   present.
 * - offered-R4 The list is written atomically, so that a crash leaves the old one or the new one.
 */

import { access, constants, realpath, stat } from 'node:fs/promises';
import { MidcallError } from '@midcall/core/errors';
import { defined, isTexts } from '@midcall/core/json';
import {
  checkKind,
  checkOptions,
  func,
  having,
  listOf,
  name as nameKind,
  notNegative,
  required,
  text,
} from '@midcall/core/options';
import { type Root, toPath, toUri } from '@midcall/core/roots';
import { visible } from '@midcall/core/text';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import { Listeners } from '../base/index.ts';
import { ownerFile } from '../files/index.ts';

/** What is stored between sessions. */
export interface RootsState {
  readonly roots: readonly { readonly path: string; readonly name: string; readonly as?: string }[];
  /** Server id -> paths granted to it. A server that is missing has not been decided about. */
  readonly grants: Readonly<Record<string, readonly string[]>>;
}

/** Where the offered roots are stored. */
export interface RootsMemory {
  /** The last state that was stored; undefined if there is none. */
  read(): Promise<RootsState | undefined>;
  /** Stores a state in place of the previous one. */
  write(state: RootsState): Promise<void>;
}

/**
 * Stores the offered roots in a JSON file that only its owner can read; a file that cannot be parsed is an error.
 * @example
 * ```ts
 * const roots = new OfferedRoots({ disk: machineDisk, memory: rootsFile('/home/ada/.config/my-host/roots.json') });
 * ```
 */
export function rootsFile(path: string): RootsMemory {
  return ownerFile(path, 'a list of roots', isState);
}

function isState(value: unknown): value is RootsState {
  if (typeof value !== 'object' || value === null) return false;
  const { roots, grants } = value as Partial<RootsState>;
  const rootsOk = Array.isArray(roots) && roots.every(root => isTexts([root?.path, root?.name, root?.as ?? '']));
  return rootsOk && typeof grants === 'object' && grants !== null && Object.values(grants).every(isTexts);
}

/** The file system, as far as offering roots needs it. */
export interface RootsDisk {
  /** What a path leads to when links are followed. Never rejects. */
  look(path: string): Promise<'directory' | 'not-a-directory' | 'unreadable' | 'gone'>;
  /** The path with every link resolved. */
  real(path: string): Promise<string>;
}

/**
 * The file system of this machine.
 * @example
 * ```ts
 * const roots = new OfferedRoots({ disk: machineDisk });
 * ```
 */
export const machineDisk: RootsDisk = {
  async look(path) {
    try {
      if (!(await stat(path)).isDirectory()) return 'not-a-directory';
      await access(path, constants.R_OK | constants.X_OK);
      return 'directory';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unreadable' : 'gone';
    }
  },
  real: path => realpath(path),
};

/** A directory on offer. */
export interface OfferedRoot extends Root {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Its path on the servers, if it differs from that on this machine. */
  readonly as?: string;
  /** `gone`: was a directory when it was added and is not now; `unreadable`: may not be opened. */
  readonly state: 'there' | 'gone' | 'unreadable';
}

/** The disk, and where decisions are stored. */
export interface OfferedRootsOptions {
  /** The file system, as far as it is needed here. */
  readonly disk: RootsDisk;
  /** Stores the state; nothing is stored if absent. */
  readonly memory?: RootsMemory;
  readonly clock?: Clock;
  /** How many milliseconds between checks whether roots still exist; 0 for never. Default 2,000. */
  readonly lookEveryMs?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Offers directories and remembers consent per server.
 * @example
 * ```ts
 * const roots = new OfferedRoots({ disk: machineDisk });
 * const root = await roots.add('/home/ada/notes');
 * await roots.grant('tables', [root.uri]);
 * ```
 */
export class OfferedRoots {
  readonly #disk: RootsDisk;
  readonly #memory: RootsMemory | undefined;
  readonly #clock: Clock;
  readonly #lookEveryMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: Listeners<string | undefined>;
  readonly #grants = new Map<string, Set<string>>();
  #roots: OfferedRoot[] = [];
  #stopLooking: (() => void) | undefined;

  constructor(options: OfferedRootsOptions) {
    checkOptions('new OfferedRoots', options, {
      disk: required(having('a disk, such as machineDisk', 'look', 'real')),
      memory: having('what keeps the state, such as rootsFile(path)', 'read', 'write'),
      clock: clockKind,
      lookEveryMs: notNegative,
      onError: func,
    });
    this.#disk = options.disk;
    this.#memory = options.memory;
    this.#clock = options.clock ?? systemClock;
    this.#lookEveryMs = options.lookEveryMs ?? 2_000;
    this.#onError = options.onError ?? (() => {});
    this.#listeners = new Listeners(options.onError);
  }

  /** Reads the stored state. Entries that are no longer directories are marked `gone`. */
  async load(): Promise<void> {
    const state = await this.#memory?.read();
    for (const root of state?.roots ?? [])
      this.#roots.push({ ...root, uri: uriOf(root), state: await this.#stateOf(root.path) });
    for (const [server, paths] of Object.entries(state?.grants ?? {})) this.#grants.set(server, new Set(paths));
  }

  /**
   * Offers a directory. Adding one that is on offer already changes nothing.
   * @param place - an absolute path, or a `file:` URI
   * @param options - `name`: for people; the directory's own if absent; `as`: the absolute POSIX path under which servers find
   *   it, if they run in a container
   * @throws MidcallError `roots/invalid` if the name is unusable, or the directory is on offer under another `as`;
   *   `roots/not-found` if there is no such directory
   */
  async add(place: string, options: { readonly name?: string; readonly as?: string } = {}): Promise<OfferedRoot> {
    checkKind('roots.add', 'the directory', place, nameKind);
    checkOptions('roots.add', options, { name: text, as: text });
    const { as } = options;
    const requested = /^file:/i.test(place) ? toPath(place) : toPath(toUri(place));
    const kind = await this.#disk.look(requested);
    if (kind === 'gone') throw new MidcallError('roots/not-found', `There is no directory at ${requested}.`);
    if (kind === 'not-a-directory') throw new MidcallError('roots/invalid', `${requested} is not a directory.`);
    if (kind === 'unreadable') throw new MidcallError('roots/io', `The directory ${requested} cannot be read.`);
    const path = await this.#disk.real(requested);
    const uri = uriOf({ path, as });
    const offered = this.#roots.find(root => root.path === path);
    if (offered && offered.uri !== uri)
      throw new MidcallError('roots/invalid', `${path} is on offer already, as ${offered.as ?? offered.path}.`);
    if (offered) return offered;
    const name = options.name ?? path.split(/[\\/]/).at(-1) ?? path;
    const root: OfferedRoot = { uri, name: name === '' ? path : name, path, state: 'there', ...defined({ as }) };
    this.#roots.push(root);
    await this.#changed(undefined);
    return root;
  }

  /** Withdraws a directory from every server. @returns false if it is not on offer */
  async remove(uri: string): Promise<boolean> {
    const root = this.#roots.find(each => each.uri === uri);
    if (!root) return false;
    this.#roots = this.#roots.filter(each => each !== root);
    for (const granted of this.#grants.values()) granted.delete(root.path);
    await this.#changed(undefined);
    return true;
  }

  /** Directories on offer, in the order they were added. */
  list(): readonly OfferedRoot[] {
    return [...this.#roots];
  }

  /**
   * Grants a server exactly these roots; an empty list is a decision too. It does not learn of other roots on offer.
   * @param uris - as {@link add} and {@link list} give them
   * @throws MidcallError `roots/not-found` if one is not on offer; nothing is changed then
   */
  async grant(server: string, uris: readonly string[]): Promise<void> {
    checkKind('roots.grant', 'the server', server, nameKind);
    checkKind('roots.grant', 'what is granted', uris, listOf(nameKind));
    const strange = uris.filter(uri => !this.#roots.some(root => root.uri === uri));
    if (strange.length > 0) {
      const uriList = strange.map(uri => `'${visible(uri, { max: 200 })}'`).join(', ');
      throw new MidcallError(
        'roots/not-found',
        `Not on offer: ${uriList}. Add the directory, and grant the uri that add() gives.`,
      );
    }
    const paths = this.#roots.filter(root => uris.includes(root.uri)).map(root => root.path);
    const before = this.granted(server);
    this.#grants.set(server, new Set(paths));
    if (before === undefined || !same(before, this.granted(server) ?? [])) await this.#changed(server);
    else await this.#keep();
  }

  /** Forgets a server's grant: the server is told of nothing, and the person is asked again. */
  async forget(server: string): Promise<void> {
    if (this.#grants.delete(server)) await this.#changed(server);
  }

  /** What a server may be told; undefined if the person has not decided. */
  granted(server: string): readonly Root[] | undefined {
    const paths = this.#grants.get(server);
    if (!paths) return undefined;
    return this.#roots
      .filter(root => root.state === 'there' && paths.has(root.path))
      .map(({ uri, name }) => ({ uri, name }));
  }

  /** The granted paths of every server that has been decided about. */
  grants(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.#grants].map(([server, paths]) => [server, [...paths]]));
  }

  /**
   * Calls `listener` once per change: with the server concerned, or undefined if it may concern all.
   * While anyone listens, roots that vanish or return are noticed. @returns ends the subscription
   */
  subscribe(listener: (server: string | undefined) => void): () => void {
    const end = this.#listeners.add(listener);
    this.#lookLater();
    return () => {
      end();
      if (this.#listeners.size > 0) return;
      this.#stopLooking?.();
      this.#stopLooking = undefined;
    };
  }

  /** Checks every root now; a change is announced once. */
  async look(): Promise<void> {
    const looked = await Promise.all(
      this.#roots.map(async root => ({ ...root, state: await this.#stateOf(root.path) })),
    );
    const states = new Map(looked.map(root => [root.path, root.state]));
    const moved = this.#roots.filter(root => (states.get(root.path) ?? root.state) !== root.state);
    if (moved.length === 0) return;
    this.#roots = this.#roots.map(root => ({ ...root, state: states.get(root.path) ?? root.state }));
    this.#listeners.tell(undefined);
  }

  /** A link in the place of a directory may lead to one that nobody offered. */
  async #stateOf(path: string): Promise<OfferedRoot['state']> {
    const kind = await this.#disk.look(path);
    if (kind === 'unreadable') return 'unreadable';
    const unchanged = kind === 'directory' && (await this.#disk.real(path).catch(() => undefined)) === path;
    return unchanged ? 'there' : 'gone';
  }

  #lookLater(): void {
    if (this.#lookEveryMs === 0 || this.#stopLooking || this.#listeners.size === 0) return;
    this.#stopLooking = this.#clock.after(this.#lookEveryMs, () => {
      this.#stopLooking = undefined;
      void this.look()
        .catch(this.#onError)
        .finally(() => this.#lookLater());
    });
  }

  async #changed(server: string | undefined): Promise<void> {
    await this.#keep();
    this.#listeners.tell(server);
  }

  async #keep(): Promise<void> {
    const grants = Object.fromEntries([...this.#grants].map(([server, paths]) => [server, [...paths]]));
    const roots = this.#roots.map(({ path, name, as }) => ({ path, name, ...defined({ as }) }));
    await this.#memory?.write({ roots, grants });
  }
}

/** What servers are told. */
const uriOf = ({ path, as }: { readonly path: string; readonly as?: string | undefined }): string =>
  as === undefined ? toUri(path) : toUri(as, 'posix');

const same = (a: readonly Root[], b: readonly Root[]): boolean =>
  a.length === b.length && a.every((root, index) => root.uri === b[index]?.uri);
