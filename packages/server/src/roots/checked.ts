/**
 * The weak platform, for systems that cannot report the location of a descriptor. It resolves a name to its real path, checks
 * that, opens it, and compares what it opened with what is at the real path. That catches honest mistakes and every link that
 * does not change.
 *
 * It is **no boundary against someone who changes the tree at the same time**: a directory swapped for a link between the
 * check and the use is followed. Nothing in pure Node prevents this on macOS or Windows; `requireStrong` refuses to start.
 */
import * as fs from 'node:fs';
import type { Platform, ResolvedPath, Thing } from './platform.ts';
import { fromSystem, notFound, outside, vanished } from './refusal.ts';
import { codeOf, identityOf, isAbsent, pooled, saysNothing } from './system.ts';
import { pathsOf, thisOs } from './within.ts';

export function checkedPlatform(): Platform {
  const os = thisOs();
  const paths = pathsOf(os);
  const system = pooled;

  async function real(resolved: ResolvedPath): Promise<string> {
    const { root, rel, bounds, requested } = resolved;
    let path: string;
    try {
      path = await system.realpath(paths.join(root.at, rel));
    } catch (error) {
      throw await explain(resolved, error);
    }
    if (!bounds.inside(path)) throw outside(requested, bounds);
    return path;
  }

  /** Why a name could not be resolved, without revealing anything outside. */
  async function explain({ root, rel, bounds, requested }: ResolvedPath, error: unknown): Promise<Error> {
    if (saysNothing(error)) return fromSystem(requested, error);
    const parts = rel.split(paths.sep);
    for (let count = 0; count <= parts.length; count += 1) {
      const path = paths.join(root.at, ...parts.slice(0, count));
      try {
        if (!bounds.inside(await system.realpath(path))) return outside(requested, bounds);
      } catch (stepError) {
        if (count === 0) return vanished(root.path);
        const link = await fs.promises.lstat(path).then(
          stat => stat.isSymbolicLink(),
          () => false,
        );
        if (link) return outside(requested, bounds);
        return isAbsent(stepError) ? notFound(requested) : fromSystem(requested, stepError);
      }
    }
    return fromSystem(requested, error);
  }

  return {
    guarantee: 'checked',
    os,
    separator: os === 'win32' ? '\\' : '/',

    hold(path) {
      const at = fs.realpathSync.native(path);
      const stat = fs.statSync(at, { bigint: true });
      if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
      return { path: at, at, identity: `${stat.dev}:${stat.ino}`, system, close: () => undefined };
    },

    identify: identityOf,

    whereabouts: (_fd, path) => path,

    async folder(resolved) {
      const path = await real(resolved);
      const stat = await lstat(resolved, path);
      if (!stat.isDirectory()) throw fromSystem(resolved.requested, { code: 'ENOTDIR' });
      return { at: path, path, close: () => undefined };
    },

    async thing(resolved) {
      const path = await real(resolved);
      return thingAt(path, await lstat(resolved, path));
    },

    async present(resolved) {
      await real(resolved);
    },

    async child(resolved, folder, name) {
      const path = paths.join(folder.path, name.toString());
      try {
        return thingAt(path, await system.lstat(path));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw fromSystem(resolved.requested, error);
      }
    },

    async still({ bounds }, folder) {
      return bounds.inside(await system.realpath(folder.path));
    },

    async reopen(resolved, thing, flags) {
      const noFollow = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
      let fd: number;
      try {
        fd = await system.open(thing.path, flags | noFollow);
      } catch (error) {
        throw fromSystem(resolved.requested, error);
      }
      try {
        const [opened, found] = [await system.fstat(fd), await system.lstat(await real(resolved))];
        if (opened.dev !== found.dev || opened.ino !== found.ino) throw outside(resolved.requested, resolved.bounds);
        return fd;
      } catch (error) {
        fs.closeSync(fd);
        throw fromSystem(resolved.requested, error);
      }
    },
  };

  async function lstat(resolved: ResolvedPath, path: string): Promise<fs.Stats> {
    try {
      return await system.lstat(path);
    } catch (error) {
      throw fromSystem(resolved.requested, error);
    }
  }

  function thingAt(path: string, stat: fs.Stats): Thing {
    return { at: path, path, stat, close: () => undefined };
  }
}
