/**
 * Directories of every size around the handful in which they are read, several side by side.
 *
 * @module-tag thorough
 */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary, type Files } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptorsBelow } from './descriptors.ts';
import { guarantees } from './guarantees.ts';

const sizes = [0, 1, 511, 512, 513, 1024, 1500];

describe.each(guarantees)('%s files', guarantee => {
  let root: string;
  let files: Files;

  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-large-')));
    for (const size of sizes) {
      mkdirSync(join(root, `${size}`));
      for (let count = 0; count < size; count += 1) writeFileSync(join(root, `${size}`, `n${count}`), '');
    }
    files = await boundary({ ceiling: [root], guarantee }).files();
  });
  afterEach(async () => {
    await files.close();
    rmSync(root, { recursive: true, force: true });
  });

  const openDescriptors = (): number => (guarantee === 'held' ? descriptorsBelow(root) : 0);

  it('a large directory lists every entry once, however many lists are under way', async () => {
    const before = openDescriptors();
    const all = [...sizes, ...sizes, ...sizes];
    const lists = await Promise.all(all.map(size => files.list(`${size}`)));
    for (const [index, size] of all.entries()) {
      expect(lists[index]!.every(entry => entry.kind === 'file')).toBe(true);
      expect(lists[index]!.map(entry => entry.path).sort()).toEqual(
        Array.from({ length: size }, (_, count) => join(root, `${size}`, `n${count}`)).sort(),
      );
    }
    expect(openDescriptors()).toBe(before);
  });

  it('lists go on after one that failed, and large trees are removed', async () => {
    const some = await Promise.allSettled([files.list('absent'), files.list('1500'), files.list('1/n0')]);
    expect(some.map(each => each.status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    await Promise.all([files.removeTree('1500'), files.removeTree('1024'), files.removeTree('513')]);
    expect(readdirSync(root).sort()).toEqual(['0', '1', '511', '512']);
  });
});
