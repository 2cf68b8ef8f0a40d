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
import type { Ground, Placed } from '../../packages/server/src/roots/ground.ts';
import { canHold, heldGround } from '../../packages/server/src/roots/held.ts';
import { closeLeaf, leafOf } from '../../packages/server/src/roots/leaf.ts';
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

const ground = heldGround();

function placedAt(rel: string): Placed & { close(): void } {
  const root = new RootHold(ground.hold(at('root')));
  const reach = { inside: (real: string) => within(real, at('root'), '/'), grant: 'Grant it.' };
  return { given: rel, root, rel, reach, close: () => root.release() } as never;
}

/** Removes `tree`; `look` runs when a directory in it has been opened, or is about to be. */
async function remove(
  look: { readonly before?: () => void; readonly after?: () => void },
  rel = 'tree',
): Promise<unknown> {
  const placed = placedAt(rel);
  const watched: Ground = {
    ...ground,
    async child(...args) {
      look.before?.();
      const child = await ground.child(...args);
      look.after?.();
      return child;
    },
  };
  const leaf = await leafOf(ground, placed);
  try {
    return await removeBelow(watched, leaf, leaf.thing!).then(
      () => 'removed',
      (error: { code?: unknown }) => error.code,
    );
  } finally {
    closeLeaf(leaf);
    placed.close();
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
  it('removes everything in it', async () => {
    expect(await remove({})).toBe('removed');
    expect(readdirSync(at('root'))).toEqual([]);
  });

  it('removes nothing in a directory that was moved out after it was opened', async () => {
    const out = once(() => renameSync(at('root/tree/sub'), at('outside/sub')));
    expect(await remove({ after: out })).toBe('roots/invalid');
    expect(existsSync(at('outside/sub/file'))).toBe(true);
    expect(existsSync(at('outside/sub/deep/file'))).toBe(true);
  });

  it('removes a link that has taken the place of a directory, and nothing it leads to', async () => {
    const swap = once(() => {
      renameSync(at('root/tree/sub'), at('outside/sub'));
      symlinkSync(at('outside/kept'), at('root/tree/sub'));
    });
    expect(await remove({ before: swap })).toBe('removed');
    expect(existsSync(at('outside/kept/file'))).toBe(true);
    expect(existsSync(at('root/tree'))).toBe(false);
  });

  it('stops where the root is withdrawn meanwhile', async () => {
    mkdirSync(at('root/tree/sub2'));
    writeFileSync(at('root/tree/sub2/file'), '');
    const placed = placedAt('tree');
    const leaf = await leafOf(ground, placed);
    const withdrawn: Ground = {
      ...ground,
      async child(...args) {
        placed.root.revoke();
        return ground.child(...args);
      },
    };
    placed.root.enter();
    await expect(removeBelow(withdrawn, leaf, leaf.thing!)).rejects.toMatchObject({ code: 'roots/revoked' });
    expect(existsSync(at('root/tree'))).toBe(true);
    expect(readdirSync(at('root/tree')).length).toBeGreaterThan(0);
    closeLeaf(leaf);
    placed.root.leave();
  });
});

describe.runIf(canHold())('H3: a root that was moved away', () => {
  const impostor = (): void => {
    renameSync(at('root'), at('moved'));
    mkdirSync(at('root'));
    writeFileSync(at('root/target'), 'of the impostor');
  };

  it('is not mistaken for what took its place, where a link leads back by its name', async () => {
    writeFileSync(at('root/target'), 'of the root');
    symlinkSync(at('root/target'), at('root/link'));
    const placed = placedAt('link');
    const before = await ground.thing(placed);
    expect(readFileSync(before.at, 'utf8')).toBe('of the root');
    before.close();
    impostor();
    const now = async () => ground.thing(placed);
    await expect(now()).rejects.toMatchObject({
      code: 'roots/revoked',
      message: expect.stringContaining(at('root')),
    });
    placed.close();
  });

  it('is said to be gone for a name that lies in it plainly, and for one that does not exist', async () => {
    for (const rel of ['tree/sub/file', 'nothing']) {
      const placed = placedAt(rel);
      if (!existsSync(at('moved'))) impostor();
      const looked = async () => ground.thing(placed);
      await expect(looked()).rejects.toMatchObject({ code: 'roots/revoked' });
      placed.close();
      rmSync(at('root'), { recursive: true });
      renameSync(at('moved'), at('root'));
    }
  });
});
