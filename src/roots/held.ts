/**
 * The strong ground: Linux with /proc. Nothing is judged by the name it had.
 *
 * H1. A root is held by descriptor. A name below it is opened with O_PATH, which reads nothing, runs nothing and cannot
 *     hang, and then the kernel is asked where the descriptor lies (`readlink /proc/self/fd/N`).
 * H2. Only what lies inside is used, and only through its descriptor: contents by reopening `/proc/self/fd/N`, names in a
 *     directory as `/proc/self/fd/N/name` without following the last one.
 * H3. Where links were followed, the root itself is asked again where it lies, so that a root which was moved away is not
 *     mistaken for what took its place.
 * H4. A name that cannot be opened is told apart by walking it step by step: nothing there, or a link that leads nowhere
 *     inside. The second is refused in the same words whether or not its target exists.
 */
import * as fs from 'node:fs';
import type { Ground, Placed, Thing } from './ground.ts';
import { fromSystem, notFound, outside, vanished } from './refusal.ts';
import { codeOf, identityOf, isAbsent, saysNothing, systemFor } from './system.ts';

/** Not in `fs.constants`; the same on every architecture Node runs on. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** Where /proc shows our descriptors; found once, since `/proc/self` is a link that every step would follow. */
let descriptors: string | undefined;

function proc(fd: number): string {
  descriptors ??= `/proc/${fs.readlinkSync('/proc/self')}/fd/`;
  return descriptors + fd;
}

const join = (base: string, rel: string): string => (rel === '' ? base : `${base}/${rel}`);

function closeQuietly(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // Nothing is buffered on a descriptor we read or already checked; the number is free either way.
  }
}

/** True where /proc shows where a descriptor lies. */
export function canHold(): boolean {
  if (process.platform !== 'linux') return false;
  let fd: number | undefined;
  try {
    fd = fs.openSync('/', O_PATH | O_DIRECTORY);
    return fs.readlinkSync(proc(fd)) === '/';
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeQuietly(fd);
  }
}

async function openInside(placed: Placed, flags: number): Promise<{ fd: number; path: string }> {
  const { root, rel, reach, given } = placed;
  let fd: number;
  try {
    fd = await root.system.open(join(root.at, rel), O_PATH | flags);
  } catch (error) {
    throw await explain(placed, error);
  }
  try {
    const path = await root.system.readlink(proc(fd));
    if (!reach.inside(path)) throw (await moved(placed)) ?? outside(given, reach);
    if (path !== join(root.path === '/' ? '' : root.path, rel) && rel !== '') {
      const lost = await moved(placed);
      if (lost) throw lost;
    }
    return { fd, path };
  } catch (error) {
    closeQuietly(fd);
    throw fromSystem(given, error);
  }
}

async function moved({ root }: Placed) {
  return (await root.system.readlink(root.at)) === root.path ? undefined : vanished(root.path);
}

/** Why a name could not be opened, without saying anything about what lies outside. */
async function explain(placed: Placed, error: unknown): Promise<Error> {
  const { root, rel, reach, given } = placed;
  if (saysNothing(error)) return fromSystem(given, error);
  const lost = await moved(placed);
  if (lost) return lost;
  const parts = rel.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const path = join(root.at, parts.slice(0, count).join('/'));
    let fd: number;
    try {
      fd = await root.system.open(path, O_PATH);
    } catch (stepError) {
      if (await isLink(placed, path)) return outside(given, reach);
      return isAbsent(stepError) ? notFound(given) : fromSystem(given, stepError);
    }
    try {
      if (!reach.inside(await root.system.readlink(proc(fd)))) return outside(given, reach);
    } catch (stepError) {
      return fromSystem(given, stepError);
    } finally {
      closeQuietly(fd);
    }
  }
  return fromSystem(given, error);
}

async function isLink({ root }: Placed, path: string): Promise<boolean> {
  try {
    return (await root.system.lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

export function heldGround(): Ground {
  return {
    guarantee: 'held',
    platform: 'linux',
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

    async folder(placed) {
      const { fd, path } = await openInside(placed, O_DIRECTORY);
      return { at: proc(fd), path, close: () => closeQuietly(fd) };
    },

    async thing(placed) {
      const { fd, path } = await openInside(placed, 0);
      return await withStat(placed, fd, path);
    },

    async present(placed) {
      closeQuietly((await openInside(placed, 0)).fd);
    },

    async child(placed, folder, name) {
      let fd: number;
      try {
        const at =
          typeof name === 'string' ? `${folder.at}/${name}` : Buffer.concat([Buffer.from(`${folder.at}/`), name]);
        fd = await placed.root.system.open(at, O_PATH | O_NOFOLLOW);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw fromSystem(placed.given, error);
      }
      return await withStat(placed, fd, join(folder.path === '/' ? '' : folder.path, name.toString()));
    },

    async still({ root, reach }, folder) {
      return reach.inside(await root.system.readlink(folder.at));
    },

    async reopen(placed, thing, flags) {
      try {
        return await placed.root.system.open(thing.at, flags | O_NONBLOCK | O_NOCTTY);
      } catch (error) {
        throw fromSystem(placed.given, error);
      }
    },
  };

  async function withStat(placed: Placed, fd: number, path: string): Promise<Thing> {
    try {
      return { at: proc(fd), path, stat: await placed.root.system.fstat(fd), close: () => closeQuietly(fd) };
    } catch (error) {
      closeQuietly(fd);
      throw fromSystem(placed.given, error);
    }
  }
}
