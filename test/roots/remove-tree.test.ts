/** Removing a tree while somebody else moves, swaps and withdraws what is in it: each step made to happen at its worst moment. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canHold } from '../../packages/server/src/roots/ceiling.ts';
import { closeEntry, entryOf } from '../../packages/server/src/roots/directory-entry.ts';
import { heldPlatform } from '../../packages/server/src/roots/held.ts';
import type { Platform, ResolvedPath } from '../../packages/server/src/roots/platform.ts';
import { RootHold } from '../../packages/server/src/roots/root-hold.ts';
import { removeBelow } from '../../packages/server/src/roots/tree.ts';
import { within } from '../../packages/server/src/roots/within.ts';

let base: string;
const at = (path: string): string => join(base, path);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-tree-')));
  for (const path of ['root/tree/sub/deep', 'outside/kept']) mkdirSync(at(path), { recursive: true });
  for (const path of ['root/tree/sub/file', 'root/tree/sub/deep/file', 'outside/kept/file'])
    writeFileSync(at(path), '');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const platform = heldPlatform();

function placedAt(rel: string): ResolvedPath & { close(): void } {
  const root = new RootHold(platform.hold(at('root')));
  const bounds = { inside: (real: string) => within(real, at('root'), '/'), grant: 'Grant it.' };
  return { requested: rel, root, rel, bounds, close: () => root.release() } as never;
}

/** Removes `tree`; `look` runs when a directory in it has been opened, or is about to be. */
async function remove(
  look: { readonly before?: () => void; readonly after?: () => void },
  rel = 'tree',
): Promise<unknown> {
  const resolved = placedAt(rel);
  const watched: Platform = {
    ...platform,
    async child(...args) {
      look.before?.();
      const child = await platform.child(...args);
      look.after?.();
      return child;
    },
  };
  const entry = await entryOf(platform, resolved);
  try {
    return await removeBelow(watched, entry, entry.thing!).then(
      () => 'removed',
      (error: { code?: unknown }) => error.code,
    );
  } finally {
    closeEntry(entry);
    resolved.close();
  }
}
const once = (act: () => void): (() => void) => {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
};

describe.runIf(canHold())('removing a tree', () => {
  it('removing a tree removes everything in it', async () => {
    expect(await remove({})).toBe('removed');
    expect(readdirSync(at('root'))).toEqual([]);
  });

  it('removing a tree removes nothing in a directory that was moved out after it was opened', async () => {
    const out = once(() => renameSync(at('root/tree/sub'), at('outside/sub')));
    expect(await remove({ after: out })).toBe('roots/invalid');
    expect(existsSync(at('outside/sub/file'))).toBe(true);
    expect(existsSync(at('outside/sub/deep/file'))).toBe(true);
  });

  it('removing a tree removes a link that took the place of a directory, and nothing it leads to', async () => {
    const swap = once(() => {
      renameSync(at('root/tree/sub'), at('outside/sub'));
      symlinkSync(at('outside/kept'), at('root/tree/sub'));
    });
    expect(await remove({ before: swap })).toBe('removed');
    expect(existsSync(at('outside/kept/file'))).toBe(true);
    expect(existsSync(at('root/tree'))).toBe(false);
  });

  it('removing a tree stops where the root is withdrawn meanwhile', async () => {
    mkdirSync(at('root/tree/sub2'));
    writeFileSync(at('root/tree/sub2/file'), '');
    const resolved = placedAt('tree');
    const entry = await entryOf(platform, resolved);
    const withdrawn: Platform = {
      ...platform,
      async child(...args) {
        resolved.root.revoke();
        return platform.child(...args);
      },
    };
    resolved.root.enter();
    await expect(removeBelow(withdrawn, entry, entry.thing!)).rejects.toMatchObject({ code: 'roots/revoked' });
    expect(existsSync(at('root/tree'))).toBe(true);
    expect(readdirSync(at('root/tree')).length).toBeGreaterThan(0);
    closeEntry(entry);
    resolved.root.leave();
  });
});

describe.runIf(canHold())('held-H3: a root that was moved away', () => {
  const impostor = (): void => {
    renameSync(at('root'), at('moved'));
    mkdirSync(at('root'));
    writeFileSync(at('root/target'), 'of the impostor');
  };

  it('a root that was moved away is not mistaken for what took its place, where a link leads back by its name', async () => {
    writeFileSync(at('root/target'), 'of the root');
    symlinkSync(at('root/target'), at('root/link'));
    const resolved = placedAt('link');
    const before = await platform.thing(resolved);
    expect(readFileSync(before.at, 'utf8')).toBe('of the root');
    before.close();
    impostor();
    const now = async () => platform.thing(resolved);
    await expect(now()).rejects.toMatchObject({
      code: 'roots/revoked',
      message: expect.stringContaining(at('root')),
    });
    resolved.close();
  });

  it('a root that was moved away is said to be gone for a name that lies in it plainly, and for one that does not exist', async () => {
    for (const rel of ['tree/sub/file', 'nothing']) {
      const resolved = placedAt(rel);
      if (!existsSync(at('moved'))) impostor();
      const looked = async () => platform.thing(resolved);
      await expect(looked()).rejects.toMatchObject({ code: 'roots/revoked' });
      resolved.close();
      rmSync(at('root'), { recursive: true });
      renameSync(at('moved'), at('root'));
    }
  });
});
