/**
 * The strong platform: Linux with /proc. Nothing is judged by its former name.
 *
 * - held-H1 A root is held by descriptor. A name below it is opened with O_PATH, which reads nothing, runs nothing and cannot
 *   hang, and then the kernel is asked for the descriptor's location (`readlink /proc/self/fd/N`).
 * - held-H2 Only what is inside is used, and only through its descriptor: contents by reopening `/proc/self/fd/N`, names in a
 *   directory as `/proc/self/fd/N/name` without following the last one.
 * - held-H3 If links were followed, the root's own location is checked again, so that a root that was moved away is not
 *   mistaken for what took its place.
 * - held-H4 If a name cannot be opened, walking it step by step tells whether nothing is there, or a link leads nowhere
 *   inside. The second is refused in the same words whether or not its target exists.
 */
import * as fs from 'node:fs';
import type { MidcallError } from '@midcall/core/errors';
import type { Folder, Platform, ResolvedPath, Thing } from './platform.ts';
import { fromSystem, notFound, outside, vanished } from './refusal.ts';
import { inOneGo, type Steps, settled } from './steps.ts';
import { codeOf, identityOf, isAbsent, saysNothing, systemFor } from './system.ts';

/** A flag that `fs.constants` lacks; it is the same on every architecture Node runs on. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** Where /proc shows our descriptors; found once, since `/proc/self` is a link that every step would follow. */
let descriptors: string | undefined;

/** The paths of low descriptors, which are used again and again. */
const names: (string | undefined)[] = [];

function proc(fd: number): string {
  descriptors ??= `/proc/${fs.readlinkSync('/proc/self')}/fd/`;
  if (fd >= 256) return descriptors + fd;
  names[fd] ??= descriptors + fd;
  return names[fd];
}

const join = (base: string, rel: string): string => (rel === '' ? base : `${base}/${rel}`);

function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // Nothing is buffered on a descriptor we read or already checked; the number is free either way.
  }
}

function* openInside(resolved: ResolvedPath, flags: number): Steps<{ fd: number; path: string }> {
  const { root, rel, bounds, requested } = resolved;
  let fd: number;
  try {
    fd = yield* settled(root.system.open(join(root.at, rel), O_PATH | flags));
  } catch (error) {
    throw yield* explain(resolved, error);
  }
  try {
    const path = yield* settled(root.system.readlink(proc(fd)));
    if (!bounds.inside(path)) throw (yield* moved(resolved)) ?? outside(requested, bounds);
    if (path !== join(root.path === '/' ? '' : root.path, rel) && rel !== '') {
      const lost = yield* moved(resolved);
      if (lost) throw lost;
    }
    return { fd, path };
  } catch (error) {
    closeQuietly(fd);
    throw fromSystem(requested, error);
  }
}

/** The refusal if the root is no longer where it was; undefined if it is. */
function* moved({ root }: ResolvedPath): Steps<MidcallError | undefined> {
  return (yield* settled(root.system.readlink(root.at))) === root.path ? undefined : vanished(root.path);
}

/** Why a name could not be opened, without revealing anything outside. */
function* explain(resolved: ResolvedPath, error: unknown): Steps<MidcallError> {
  const { root, rel, bounds, requested } = resolved;
  if (saysNothing(error)) return fromSystem(requested, error);
  const lost = yield* moved(resolved);
  if (lost) return lost;
  const parts = rel.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const path = join(root.at, parts.slice(0, count).join('/'));
    let fd: number;
    try {
      fd = yield* settled(root.system.open(path, O_PATH));
    } catch (stepError) {
      if (yield* isLink(resolved, path)) return outside(requested, bounds);
      return isAbsent(stepError) ? notFound(requested) : fromSystem(requested, stepError);
    }
    try {
      if (!bounds.inside(yield* settled(root.system.readlink(proc(fd))))) return outside(requested, bounds);
    } catch (stepError) {
      return fromSystem(requested, stepError);
    } finally {
      closeQuietly(fd);
    }
  }
  return fromSystem(requested, error);
}

function* isLink({ root }: ResolvedPath, path: string): Steps<boolean> {
  try {
    return (yield* settled(root.system.lstat(path))).isSymbolicLink();
  } catch {
    return false;
  }
}

export function heldPlatform(): Platform {
  return {
    guarantee: 'held',
    os: 'linux',
    separator: '/',

    hold(path) {
      const fd = fs.openSync(path, O_PATH | O_DIRECTORY);
      try {
        const stat = fs.fstatSync(fd, { bigint: true });
        const real = fs.readlinkSync(proc(fd));
        return {
          path: real,
          at: proc(fd),
          identity: `${stat.dev}:${stat.ino}`,
          system: systemFor(proc(fd)),
          close: () => closeQuietly(fd),
        };
      } catch (error) {
        closeQuietly(fd);
        throw error;
      }
    },

    identify: identityOf,

    whereabouts(fd) {
      try {
        return fs.readlinkSync(proc(fd));
      } catch {
        return undefined;
      }
    },

    folder: resolved => inOneGo(folder(resolved)),

    thing: resolved => inOneGo(thing(resolved)),

    present: resolved => inOneGo(present(resolved)),

    child: (resolved, above, name) => inOneGo(child(resolved, above, name)),

    async still({ root, bounds }, folder) {
      return bounds.inside(await root.system.readlink(folder.at));
    },

    reopen: (resolved, thing, flags) => inOneGo(reopen(resolved, thing, flags)),
  };
}

function* folder(resolved: ResolvedPath): Steps<Folder> {
  const { fd, path } = yield* openInside(resolved, O_DIRECTORY);
  return { at: proc(fd), path, close: () => closeQuietly(fd) };
}

function* thing(resolved: ResolvedPath): Steps<Thing> {
  const { fd, path } = yield* openInside(resolved, 0);
  return yield* withStat(resolved, fd, path);
}

function* present(resolved: ResolvedPath): Steps<void> {
  const { fd } = yield* openInside(resolved, 0);
  closeQuietly(fd);
}

function* child(resolved: ResolvedPath, above: Folder, name: string | Buffer): Steps<Thing | undefined> {
  let fd: number;
  try {
    const at = typeof name === 'string' ? `${above.at}/${name}` : Buffer.concat([Buffer.from(`${above.at}/`), name]);
    fd = yield* settled(resolved.root.system.open(at, O_PATH | O_NOFOLLOW));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fromSystem(resolved.requested, error);
  }
  return yield* withStat(resolved, fd, join(above.path === '/' ? '' : above.path, name.toString()));
}

function* reopen(resolved: ResolvedPath, thing: Thing, flags: number): Steps<number> {
  try {
    return yield* settled(resolved.root.system.open(thing.at, flags | O_NONBLOCK | O_NOCTTY));
  } catch (error) {
    throw fromSystem(resolved.requested, error);
  }
}

function* withStat(resolved: ResolvedPath, fd: number, path: string): Steps<Thing> {
  try {
    const stat = yield* settled(resolved.root.system.fstat(fd));
    return { at: proc(fd), path, stat, close: () => closeQuietly(fd) };
  } catch (error) {
    closeQuietly(fd);
    throw fromSystem(resolved.requested, error);
  }
}
